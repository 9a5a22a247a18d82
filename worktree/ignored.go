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
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
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

	found  []orchestrator.Path // ignored files and directories that untracked came upon
	newest time.Time           // as far as its scans told times

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
// below an ignored directory. What recorded has, which may be nil, is taken for
// not ignored.
func (g *ignores) untracked(opts treescan.Options, found treescan.Result, recorded *dircache.Index, most int) (files []orchestrator.Path, err error) {
	g.newest = found.Newest
	for len(found.Files)+len(found.Dirs) > 0 {
		var next treescan.Result
		below := func(dir orchestrator.Path) error {
			list, err := treescan.List(opts, dir)
			next.Files = append(next.Files, list.Files...)
			next.Dirs = append(next.Dirs, list.Dirs...)
			g.newest = newer(g.newest, list.Newest)
			return err
		}
		if recorded != nil {
			var had []orchestrator.Path
			had, found.Files = parted(found.Files, func(path orchestrator.Path) bool { return recorded.Lookup(path) != nil })
			files = append(files, had...)
			had, found.Dirs = parted(found.Dirs, func(path orchestrator.Path) bool { return len(recorded.Under(path)) > 0 })
			for _, dir := range had {
				if err := below(dir); err != nil {
					return nil, err
				}
			}
		}
		ignored, err := g.ask(slices.Concat(found.Files, found.Dirs))
		if err != nil {
			return nil, err
		}
		for i, path := range found.Files {
			if ignored[i] {
				g.found = append(g.found, path)
			} else {
				files = append(files, path)
			}
		}
		if len(files) > most {
			return nil, fmt.Errorf("%w: a flood of untracked files", treescan.ErrUnusual)
		}
		for i, path := range found.Dirs {
			if ignored[len(found.Files)+i] {
				g.found = append(g.found, path)
				continue
			}
			if err := below(path); err != nil {
				return nil, err
			}
		}
		found = next
	}
	return files, nil
}

// parted splits paths into those of which is is true, and the others.
func parted(paths []orchestrator.Path, is func(orchestrator.Path) bool) (yes, no []orchestrator.Path) {
	for _, path := range paths {
		if is(path) {
			yes = append(yes, path)
		} else {
			no = append(no, path)
		}
	}
	return yes, no
}

// ask puts the question to a running git, which answers each path with four
// fields: where the rule is, its line, the rule, and the path.
func ask(pipe *gitcmd.Pipe, answers *bufio.Reader, paths []orchestrator.Path) ([]bool, error) {
	var in bytes.Buffer
	for _, p := range paths {
		in.WriteString("./" + string(p))
		in.WriteByte(0)
	}
	defer pipe.Unblock()()
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
