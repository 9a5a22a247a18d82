package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/watch"
)

// A provisional snapshot is a fence in time. The scan that confirms it comes
// later, and finds what was written before the fence and what was written after
// it. The watcher tells one from the other:
//
//	fast snapshot ──────────▶ scan ──────────▶ drain
//	  ╰─ the turn is over;      ╰─ a path that differs: touched since the fence?
//	     the person may edit          no ─▶ the watcher had missed it: a correction
//	                                 yes ─▶ left as the fast snapshot has it, and
//	                                        unread: of the next snapshot
//
// Where the watcher cannot tell, the fast snapshot stands, and the watch is of no
// more use.

// untold says why changes do not tell what was touched; nil if they do.
func untold(changes watch.Changes) error {
	switch {
	case changes.Lost != watch.NotLost:
		return fmt.Errorf("the watcher is lost: %s", changes.Lost)
	case changes.IgnoreRules:
		return errors.New("rules for files have changed")
	case changes.NestedGit:
		return errors.New("there is a repository in the worktree")
	}
	return nil
}

// sinceFence returns the paths that were touched since the provisional snapshot,
// for the next one to read.
func (v *view) sinceFence(ctx context.Context) (map[orchestrator.Path]bool, error) {
	if err := v.wake(); err != nil {
		return nil, err
	}
	changes, err := v.watcher.Drain(ctx)
	if err != nil {
		return nil, err
	}
	if v.late = untold(changes); v.late != nil {
		return nil, v.late
	}
	return v.touched(changes, false)
}

// leaveOut has a scan say of what was touched since the fence what the
// provisional snapshot has.
func (v *view) leaveOut(ctx context.Context, p *inProcess) error {
	since, err := v.sinceFence(ctx)
	left := func(path orchestrator.Path) bool { return since[path] }
	if err != nil {
		if v.late == nil {
			return err
		}
		left = func(orchestrator.Path) bool { return true }
	}
	maps.DeleteFunc(p.edits, func(path orchestrator.Path, _ orchestrator.Entry) bool { return left(path) })
	for path, entry := range v.edits {
		if left(path) {
			p.edits[path] = entry
		}
	}
	p.changed = slices.DeleteFunc(p.changed, func(entry dircache.Entry) bool { return left(entry.Path) })
	return nil
}

// untouched reports whether nothing at all was touched since the fence: then a
// scan that cannot leave paths out may be believed.
func (v *view) untouched(ctx context.Context) (bool, error) {
	since, err := v.sinceFence(ctx)
	if err != nil && v.late != nil {
		return false, nil
	}
	if len(since) > 0 {
		v.late = errors.New("it was written to while it was compared")
	}
	return len(since) == 0, err
}
