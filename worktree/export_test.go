package worktree

import "boo/orchestrator"

// Opened waits until a watch has seen the worktree, and returns why it does not
// watch it.
func Opened(w orchestrator.TreeWatch) error {
	watch := w.(*treeWatch)
	<-watch.opened
	return watch.doubt
}
