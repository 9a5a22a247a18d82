package worktree

import (
	"context"

	"boo/orchestrator"
)

// Opened waits until a watch has seen the worktree, and returns why it does not
// watch it.
func Opened(w orchestrator.TreeWatch) error {
	watch := w.(*treeWatch)
	<-watch.opened
	return watch.doubt
}

// AskedCheckout is Checkout by git alone.
func (e *Engine) AskedCheckout(ctx context.Context, dir string) (orchestrator.Checkout, error) {
	return e.askedCheckout(ctx, dir)
}
