package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"boo/orchestrator"
)

// treeWatch is a watch over one worktree. Its goroutine makes the view; it
// ends when the view is there, or when Close asks it to.
type treeWatch struct {
	engine *Engine
	wt     orchestrator.Worktree
	cancel context.CancelFunc
	opened chan struct{} // closed when view and doubt may be read

	view  *view
	doubt error        // why view is not to be used
	fast  *provisional // waits for Confirm
}

// Watch implements [orchestrator.Trees]. The worktree is listed in the
// background; until that is done, snapshots are plain ones.
func (e *Engine) Watch(ctx context.Context, wt orchestrator.Worktree) orchestrator.TreeWatch {
	w := &treeWatch{engine: e, wt: wt, opened: make(chan struct{})}
	ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(w.opened)
		w.view, w.doubt = e.openView(ctx, wt)
	}()
	return w
}

// Close implements [orchestrator.TreeWatch].
func (w *treeWatch) Close() error {
	w.cancel()
	<-w.opened
	if w.view == nil {
		return nil
	}
	defer func() { w.view = nil }()
	return w.view.close()
}

var errNotYet = errors.New("the worktree is not watched yet")

// usable returns nil when the view can tell what has changed.
func (w *treeWatch) usable() error {
	select {
	case <-w.opened:
		return w.doubt
	default:
		return errNotYet
	}
}

// Snapshot implements [orchestrator.TreeWatch].
func (w *treeWatch) Snapshot(ctx context.Context, by orchestrator.Signature, message string) (orchestrator.Snapshot, error) {
	if w.fast != nil {
		if _, err := w.Confirm(ctx, by, message); err != nil {
			return orchestrator.Snapshot{}, err
		}
	}
	err := w.usable()
	if err == nil {
		if w.fast, err = w.takeFast(ctx, by, message); err == nil {
			return w.fast.snap, nil
		}
		w.doubt = err // for good: what the watcher told is used up
	}
	w.engine.fellBack(fmt.Errorf("%w: %w", ErrUnwatched, err))
	return w.engine.Snapshot(ctx, w.wt, by, message)
}

func (w *treeWatch) takeFast(ctx context.Context, by orchestrator.Signature, message string) (*provisional, error) {
	if err := errors.Join(realDir(w.wt), repoThere(w.wt)); err != nil {
		return nil, err
	}
	prev, err := w.engine.Newest(ctx, w.wt)
	if err != nil {
		return nil, err
	}
	if prev.Commit != w.view.prev.Commit {
		return nil, errors.New("the chain went on without the watch")
	}
	return w.view.snapshot(ctx, w.engine.commitOn(cmp.Or(prev.Commit, w.wt.Base), by, message))
}

// ErrUnwatched says that a worktree was scanned although it is watched.
var ErrUnwatched = errors.New("the watcher cannot tell")

// Confirm implements [orchestrator.TreeWatch].
func (w *treeWatch) Confirm(ctx context.Context, by orchestrator.Signature, message string) (orchestrator.Snapshot, error) {
	fast := w.fast
	if fast == nil {
		return orchestrator.Snapshot{}, os.ErrInvalid
	}
	if err := w.engine.keepHead(ctx, w.wt); err != nil {
		return orchestrator.Snapshot{}, coded(err, "take a snapshot of chat %s", w.wt.Chat)
	}
	w.fast = nil
	snap, err := w.engine.take(ctx, taking{
		wt: w.wt, prev: w.view.prev, commit: w.engine.commitOn(fast.snap.Parent, by, message), fast: fast,
	})
	if err != nil || snap.Commit != fast.snap.Commit {
		w.doubt = errors.Join(err, errMissed)
	}
	w.view.prev = snap
	return snap, err
}

var errMissed = errors.New("the watcher missed a change")
