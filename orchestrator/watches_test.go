package orchestrator_test

import (
	"context"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"boo/orchestrator"
)

// scanned is real trees that count how often all files were looked at before a
// turn.
type scanned struct {
	orchestrator.Trees
	times *atomic.Int32
}

func (s scanned) SnapshotChanges(ctx context.Context, wt orchestrator.Worktree, by orchestrator.Signature, message string) (orchestrator.Snapshot, error) {
	s.times.Add(1)
	return s.Trees.SnapshotChanges(ctx, wt, by, message)
}

func TestAWatchedWorktreeIsNotLookedThroughBeforeTheNextTurn(t *testing.T) {
	for most, want := range []int32{3, 1} {
		w := newWorld(t)
		var times atomic.Int32
		w.Trees, w.Watched = scanned{w.Trees, &times}, most
		w.turn("one", "write a.txt with a")
		w.check(os.WriteFile(w.tree("mine.txt"), []byte("mine\n"), 0o600))
		w.turn("one", "write b.txt with b")
		w.turn("two", "say nothing to do")
		if got := times.Load(); got != want {
			t.Errorf("with %d watched: %d looks at all files, want %d", most, got, want)
		}
		if got, want := w.changes(), []string{"a.txt by one", "b.txt by one", "mine.txt by you"}; !slices.Equal(got, want) {
			t.Errorf("pending: %q, want %q", got, want)
		}
		w.check(w.Close()) // ends the watches
	}
}
