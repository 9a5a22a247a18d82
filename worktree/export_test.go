package worktree

import (
	"context"
	"errors"
	"syscall"

	"boo/orchestrator"
)

// Opened waits until a watch has seen the worktree, and returns why it does not
// watch it.
func Opened(w orchestrator.TreeWatch) error {
	watch := w.(*treeWatch)
	<-watch.opened
	return watch.doubt
}

// TempDir makes a directory that a call would remove; Die ends the engine's hold
// of it, as a kill would.
func (e *Engine) TempDir() (string, error) {
	dir, _, err := e.tempDir("test")
	return dir, err
}

// Die is told of at TempDir. To close the file is not enough: a child that is
// being started may have it still, until its exec.
func (e *Engine) Die() error {
	return errors.Join(syscall.Flock(int(e.temp.held.Fd()), syscall.LOCK_UN), e.temp.held.Close())
}

// AskedCheckout is Checkout by git alone.
func (e *Engine) AskedCheckout(ctx context.Context, dir string) (orchestrator.Checkout, error) {
	return e.askedCheckout(ctx, dir)
}

// Undisturbed reports whether a watch that rests makes a look at the files needless.
func (e *Engine) Undisturbed(ctx context.Context, wt orchestrator.Worktree) bool {
	newest, err := e.Newest(ctx, wt)
	if err != nil {
		return false
	}
	_, ok := e.undisturbed(ctx, wt, newest)
	return ok
}
