package worktree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
	"boo/worktree/internal/treescan"
)

// untracked returns the files that are not in the index and not ignored: those
// that a scan has found, and those in the directories that it has found. What
// is ignored git says, one process for all; it is not started when there is
// nothing to ask, and never asked of what lies below an ignored directory.
func (e *Engine) untracked(ctx context.Context, r repo, opts treescan.Options, found treescan.Result) (files []orchestrator.Path, err error) {
	if len(found.Files)+len(found.Dirs) == 0 {
		return nil, nil
	}
	call := r.call("check-ignore", "--no-index", "--stdin", "-z", "--verbose", "--non-matching")
	call.Magic = true
	pipe, err := e.git.Open(ctx, call)
	if err != nil {
		return nil, err
	}
	defer func() {
		// Its status says only whether anything was ignored.
		if closed := pipe.Close(); err == nil && closed != nil && !exited(closed, 1) {
			err = closed
		}
	}()
	answers := bufio.NewReader(pipe)
	for len(found.Files)+len(found.Dirs) > 0 {
		ignored, err := ask(pipe, answers, slices.Concat(found.Files, found.Dirs))
		if err != nil {
			return nil, fmt.Errorf("ask what is ignored: %w", err)
		}
		var next treescan.Result
		for i, path := range found.Files {
			if !ignored[i] {
				files = append(files, path)
			}
		}
		if len(files) > e.opts.MaxUntracked {
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

// ask tells of each path whether it is ignored. Git answers each with four
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
