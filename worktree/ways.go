package worktree

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/safeopen"
)

// ways says of the paths of a checkout how files and objects correspond there,
// by the rules of one moment. One goroutine uses it.
type ways struct {
	root   *safeopen.Root
	format objectid.Format
	all    conversion                       // for every path
	heeded conversion                       // what attributes can call for
	below  map[orchestrator.Path]conversion // for those in a directory, by its and its parents' attributes
}

// waysOf opens the checkout's directory; the caller closes the root.
func (e *Engine) waysOf(ctx context.Context, c orchestrator.Checkout) (*ways, error) {
	s, err := e.settingsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	root, err := safeopen.OpenRoot(string(c.Dir))
	if err != nil {
		return nil, err
	}
	w := &ways{root: root, format: s.format(), all: s.rules(), heeded: ^pointing, below: map[orchestrator.Path]conversion{}}
	if s.lfs.program != "" {
		w.heeded = ^conversion(0)
	}
	return w, nil
}

// again is for another goroutine; the root stays that of the first.
func (w *ways) again() *ways {
	mine := *w
	mine.below = map[orchestrator.Path]conversion{}
	return &mine
}

// odd stands for rules that only git can follow.
const odd = rewritten | unusual | pointing

// of returns the conversions that a path may be subject to.
func (w *ways) of(path orchestrator.Path, mode orchestrator.FileMode) conversion {
	if !plainPath(path, mode) {
		return odd
	}
	return w.in(parentOf(path))
}

func parentOf(path orchestrator.Path) orchestrator.Path {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[:i]
		}
	}
	return ""
}

func (w *ways) in(dir orchestrator.Path) conversion {
	if c, known := w.below[dir]; known {
		return c
	}
	c := w.all
	if dir != "" {
		c = w.in(parentOf(dir))
	}
	c = (c | w.attributesIn(dir)) & w.heeded
	w.below[dir] = c
	return c
}

func (w *ways) attributesIn(dir orchestrator.Path) conversion {
	f, err := w.root.Open(join(dir, ".gitattributes"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		return odd
	}
	defer f.Close()
	if f.Stat().Size > ruleLimit {
		return odd
	}
	content := make([]byte, f.Stat().Size)
	if _, err := readFull(f, content); err != nil {
		return odd
	}
	return attributes(content) | outward(content)
}

// HooksDir returns the value of core.hooksPath, "" where there is none or the
// configuration cannot be read: who writes files finds that out by itself.
func (e *Engine) HooksDir(ctx context.Context, c orchestrator.Checkout) string {
	s, err := e.settingsOf(ctx, c)
	if err != nil {
		return ""
	}
	if rest, ok := strings.CutPrefix(s.hooks, "~/"); ok {
		return filepath.Join(e.git.Person("HOME"), rest)
	}
	return s.hooks
}
