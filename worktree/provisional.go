package worktree

import (
	"os"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack"
)

// provisional is a snapshot that a watcher has made, before the tree was
// scanned. Its objects are whole and kept from garbage collection, but no ref
// leads to them, and after a power cut they may not be there.
type provisional struct {
	snap  orchestrator.Snapshot
	pack  *pack.Writer
	keep  string          // path of the pack's .keep file
	known *dircache.Index // the files in which it differs from the base
}

// settle brings to the disk what the objects lack. Without a provisional
// snapshot there is nothing to do.
func (f *provisional) settle() error {
	if f == nil {
		return nil
	}
	return f.pack.Settle()
}

// release lets garbage collection have what no ref leads to.
func (f *provisional) release() {
	if f != nil && f.keep != "" {
		_ = os.Remove(f.keep) // removed by the next snapshot if not now
	}
}
