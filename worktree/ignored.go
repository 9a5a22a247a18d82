package worktree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
	"boo/worktree/internal/treescan"
)

// ignores asks git what is ignored: one process, for as many questions as there
// are. Its methods may be called concurrently. It is started by the first
// question after the making or Close, and does not notice that rules have
// changed since.
type ignores struct {
	ctx  context.Context
	git  runner
	call gitcmd.Call

	mu      sync.Mutex
	pipe    *gitcmd.Pipe
	answers *bufio.Reader
}

// ignoredIn returns what answers by the rules of r until ctx ends.
func (e *Engine) ignoredIn(ctx context.Context, r repo) *ignores {
	call := r.call("check-ignore", "--no-index", "--stdin", "-z", "--verbose", "--non-matching")
	call.Magic = true
	return &ignores{ctx: ctx, git: e.git, call: call}
}

// Close ends git and waits for it.
func (g *ignores) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipe == nil {
		return nil
	}
	pipe := g.pipe
	g.pipe = nil
	// Its status says only whether anything was ignored, or that it was cut off.
	if err := pipe.Close(); err != nil && !exited(err, 1) && g.ctx.Err() == nil {
		return err
	}
	return nil
}

// ask tells of each path whether it is ignored.
func (g *ignores) ask(paths []orchestrator.Path) ([]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipe == nil {
		var err error
		if g.pipe, err = g.git.Open(g.ctx, g.call); err != nil {
			return nil, fmt.Errorf("ask what is ignored: %w", err)
		}
		g.answers = bufio.NewReader(g.pipe)
	}
	ignored, err := ask(g.pipe, g.answers, paths)
	if err != nil {
		return nil, fmt.Errorf("ask what is ignored: %w", err)
	}
	return ignored, nil
}

// untracked returns the files that are not in the index and not ignored: those
// that a scan has found, and those in the directories that it has found. Git
// is not started when there is nothing to ask, and never asked of what lies
// below an ignored directory.
func (g *ignores) untracked(opts treescan.Options, found treescan.Result, most int) (files []orchestrator.Path, err error) {
	for len(found.Files)+len(found.Dirs) > 0 {
		ignored, err := g.ask(slices.Concat(found.Files, found.Dirs))
		if err != nil {
			return nil, err
		}
		var next treescan.Result
		for i, path := range found.Files {
			if !ignored[i] {
				files = append(files, path)
			}
		}
		if len(files) > most {
			return nil, fmt.Errorf("%w: a flood of untracked files", treescan.ErrUnusual)
		}
		for i, path := range found.Dirs {
			if ignored[len(found.Files)+i] {
				continue
			}
			below, err := treescan.List(opts, path)
			if err != nil {
				return nil, err
			}
			next.Files = append(next.Files, below.Files...)
			next.Dirs = append(next.Dirs, below.Dirs...)
		}
		found = next
	}
	return files, nil
}

// ask puts the question to a running git, which answers each path with four
// fields: where the rule is, its line, the rule, and the path.
func ask(pipe *gitcmd.Pipe, answers *bufio.Reader, paths []orchestrator.Path) ([]bool, error) {
	var in bytes.Buffer
	for _, p := range paths {
		in.WriteString("./" + string(p))
		in.WriteByte(0)
	}
	sent := make(chan error, 1)
	go func() {
		_, err := pipe.Write(in.Bytes())
		sent <- err
	}()
	ignored := make([]bool, len(paths))
	var err error
	for i := range paths {
		var fields [4]string
		for f := range fields {
			if fields[f], err = answers.ReadString(0); err != nil {
				return nil, errors.Join(pipe.Close(), <-sent, err)
			}
		}
		if fields[3] != "./"+string(paths[i])+"\x00" {
			return nil, errors.Join(fmt.Errorf("git answers %q for %q", fields[3], paths[i]), pipe.Close(), <-sent)
		}
		rule := fields[2]
		ignored[i] = rule != "\x00" && !strings.HasPrefix(rule, "!")
	}
	return ignored, <-sent
}
