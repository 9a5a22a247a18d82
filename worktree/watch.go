package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

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
	doubt error                  // why view is not to be used
	taken *orchestrator.Snapshot // the newest one, if it was taken by a scan before view was there
	fast  *provisional           // waits for Confirm
	kept  bool                   // and is on the chain

	looked *lookedThrough // by the last Confirm, if that found the snapshot right
	mu     sync.Mutex     // guards view while it rests
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
	w.engine.resting.remove(w)
	w.mu.Lock()
	defer w.mu.Unlock()
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

// ready waits until the view is there, and returns nil when it can tell what has
// changed.
func (w *treeWatch) ready(ctx context.Context) error {
	select {
	case <-w.opened:
		return w.doubt
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Snapshot implements [orchestrator.TreeWatch].
func (w *treeWatch) Snapshot(ctx context.Context, by orchestrator.Signature, message string) (orchestrator.Snapshot, error) {
	if w.fast != nil {
		if _, err := w.Confirm(ctx, by, message); err != nil {
			return orchestrator.Snapshot{}, err
		}
	}
	early := w.usable()
	err := early
	if err == nil {
		if err = w.takeFast(ctx, by, message, false); err == nil {
			return w.fast.snap, nil
		}
	}
	w.engine.unwatched(fmt.Errorf("%w: %w", ErrUnwatched, err))
	snap, err := w.engine.Snapshot(ctx, w.wt, by, message)
	if early == errNotYet {
		w.taken = &snap
	}
	return snap, err
}

// unwatched tells why a watch is of no use.
func (e *Engine) unwatched(why error) {
	if e.opts.Fallback != nil {
		e.opts.Fallback(why)
	}
}

// SnapshotChanges implements [orchestrator.TreeWatch].
func (w *treeWatch) SnapshotChanges(ctx context.Context, by orchestrator.Signature, message string) (orchestrator.Snapshot, error) {
	w.engine.resting.remove(w)
	err := w.ready(ctx)
	if err == nil && w.fast != nil {
		err = errors.New("it has a snapshot to confirm")
	}
	if err == nil {
		err = w.engine.keepHead(ctx, w.wt)
	}
	if err == nil {
		err = w.takeFast(ctx, by, message, true)
	}
	if err == nil {
		err = w.Keep(ctx)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrUnwatched, err)
		w.engine.unwatched(err)
		return orchestrator.Snapshot{}, err
	}
	if w.fast != nil {
		w.view.prev, w.fast = w.fast.snap, nil
	}
	w.view.doze(true)
	return w.view.prev, nil
}

// takeFast makes fast of what the watcher has seen, or leaves it nil where the
// snapshot before will do. After an error the watch is of no more use: what the
// watcher told is used up.
func (w *treeWatch) takeFast(ctx context.Context, by orchestrator.Signature, message string, unlessSame bool) (err error) {
	defer func() { w.doubt = err }()
	w.looked = nil
	if err := errors.Join(realDir(w.wt), repoThere(w.wt)); err != nil {
		return err
	}
	if w.taken != nil {
		w.view.prev, w.taken = *w.taken, nil
	}
	prev, err := w.engine.Newest(ctx, w.wt)
	if err != nil {
		return err
	}
	if prev.Commit != w.view.prev.Commit {
		return errors.New("the chain went on without the watch")
	}
	w.view.prev, w.kept = prev, false
	w.fast, err = w.view.snapshot(ctx, taking{
		wt: w.wt, prev: prev, commit: w.engine.commitOn(cmp.Or(prev.Commit, w.wt.Base), by, message), unlessSame: unlessSame,
	})
	return err
}

// Keep implements [orchestrator.TreeWatch].
func (w *treeWatch) Keep(ctx context.Context) error {
	if w.fast == nil || w.kept {
		return nil
	}
	err := w.engine.chain(ctx, taking{wt: w.wt, prev: w.view.prev, fast: w.fast}, w.fast.snap.Commit)
	w.kept = err == nil
	return coded(err, "keep the snapshot of chat %s", w.wt.Chat)
}

// Rest implements [orchestrator.TreeWatch].
func (w *treeWatch) Rest(ctx context.Context) (dirs int) {
	err := w.ready(ctx)
	select {
	case <-w.opened:
	default:
		return 0
	}
	if w.view == nil {
		return 0
	}
	// Also one that is of no more use must not have its git be seen in the worktree.
	if w.doubt = cmp.Or(err, w.view.rest()); w.doubt != nil {
		return 0
	}
	w.engine.resting.add(w)
	return w.view.watcher.Size()
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
	var looked lookedThrough
	t := taking{
		wt: w.wt, prev: w.view.prev, commit: w.engine.commitOn(fast.snap.Parent, by, message), fast: fast, fence: w.view, looked: &looked,
	}
	if w.kept {
		t.prev = fast.snap
	}
	snap, err := w.engine.take(ctx, t)
	switch {
	case err != nil || snap.Commit != fast.snap.Commit:
		w.doubt = errors.Join(err, errMissed)
	case w.view.late != nil:
		w.doubt = w.view.late
	case looked.snap.Commit == snap.Commit:
		w.looked = &looked
	}
	w.view.prev = snap
	return snap, err
}

var errMissed = errors.New("the watcher missed a change")
