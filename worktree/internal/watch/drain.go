package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Drain returns what was touched since the Drain before, or since Start. Every
// change whose system call had returned when Drain was called is in it. On an
// error nothing is taken: the next Drain returns it.
func (w *Watcher) Drain(ctx context.Context) (Changes, error) {
	if err := w.arrive(ctx); err != nil {
		return Changes{}, err
	}
	// The kernel does not tell of a directory's end while it is held open.
	if inodeOf(w.path) != w.inode {
		w.lose(RootGone)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dirty.take(), nil
}

// Quiet reports whether nothing at all was touched since the Drain before, or since
// Start: of a tree that stands at the path "at" by now, which need not be where it
// was. The next Drain returns the same as without it. false may also mean that
// this cannot be told.
func (w *Watcher) Quiet(ctx context.Context, at string) (bool, error) {
	if err := w.arrive(ctx); err != nil {
		return false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dirty.quiet() && inodeOf(at) == w.inode, nil
}

// arrive waits until all changes that were made before are taken in.
func (w *Watcher) arrive(ctx context.Context) error {
	var last uint64
	select {
	case last = <-w.drain:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.stop:
		return os.ErrClosed
	}
	last, err := w.pass(ctx, last)
	w.drain <- last
	return err
}

// pass sends the barrier after the last one and waits for it to be read. It
// returns the number of the newest barrier that was sent.
func (w *Watcher) pass(ctx context.Context, last uint64) (uint64, error) {
	if w.closed() {
		return last, os.ErrClosed
	}
	if _, lost, _ := w.state(); lost != NotLost {
		return last, nil
	}
	next := last + 1
	if err := os.Rename(barrierName(w.private, last), barrierName(w.private, next)); err != nil {
		if w.closed() {
			err = os.ErrClosed
		}
		return last, fmt.Errorf("send barrier: %w", err)
	}
	for {
		passed, lost, moved := w.state()
		if passed >= next || lost != NotLost {
			return next, nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return next, ctx.Err()
		case <-w.stop:
			return next, os.ErrClosed
		}
	}
}

func (w *Watcher) closed() bool {
	select {
	case <-w.stop:
		return true
	default:
		return false
	}
}

func (w *Watcher) state() (passed uint64, lost Loss, moved <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.passed, w.dirty.lost, w.moved
}

func barrierName(dir string, number uint64) string {
	return filepath.Join(dir, strconv.FormatUint(number, 10))
}

// arrived notes that the barrier of that name was read.
func (w *Watcher) arrived(name string) {
	number, err := strconv.ParseUint(name, 10, 64)
	if err != nil {
		return // somebody else's file
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed = max(w.passed, number)
	w.wake()
}

// wake lets those who wait look again. The caller holds mu.
func (w *Watcher) wake() {
	close(w.moved)
	w.moved = make(chan struct{})
}
