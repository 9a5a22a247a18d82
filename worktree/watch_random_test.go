package worktree_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/worktree"
)

// watching returns a watch that is ready.
func (f *fixture) watching(wt orchestrator.Worktree) orchestrator.TreeWatch {
	f.t.Helper()
	w := f.engine.Watch(f.t.Context(), wt)
	f.t.Cleanup(func() { _ = w.Close() })
	if err := worktree.Opened(w); err != nil {
		f.t.Logf("not watched: %v", err)
	}
	return w
}

// TestWatchedSnapshotsOfRandomWorkEqualPlainGit compares what a watcher has
// seen, before it is confirmed, with plain git's tree of the same files; where
// the watch chooses to scan it has said why.
func TestWatchedSnapshotsOfRandomWorkEqualPlainGit(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newRandomWork(t, seed+100)
			seen, rested, corrected := 0, 0, 0
			var watch orchestrator.TreeWatch
			for round := range 12 {
				for range w.rng.IntN(4) {
					w.step()
				}
				if watch != nil && w.rested(watch) {
					rested++
				} else {
					w.f.snapshot(w.wt)
					watch = w.f.watching(w.wt)
				}
				for range 1 + w.rng.IntN(6) {
					w.step()
				}
				fast, err := watch.Snapshot(t.Context(), goose, "turn\n")
				if err != nil {
					t.Fatal(err)
				}
				if round%5 == 4 {
					w.f.git(w.f.repo, "gc", "-q", "--prune=now")
				}
				want := w.f.oracle(w.wt, w.forcedNow(), nil)
				if fast.Tree != want {
					corrected++
					t.Errorf("round %d after %s\nsnapshot (verified %v):\n%s\nplain git:\n%s", round, strings.Join(w.log, ", "), fast.Verified,
						w.f.listing(w.f.repo, fast.Tree), w.f.listing(w.f.root+"/oracle", want))
				}
				if !fast.Verified {
					seen++
					if round%2 == 1 {
						w.f.must(watch.Keep(t.Context()))
					}
					w.f.confirmed(watch, fast, want)
				}
				watch.Rest(t.Context())
			}
			if !w.odd && (seen == 0 || rested == 0) {
				t.Errorf("the watch has seen %d turns, and %d times what was between them", seen, rested)
			}
			w.f.git(w.f.repo, "fsck", "--strict", "--no-dangling")
			if kept, _ := filepath.Glob(w.f.repo + "/.git/objects/pack/*.keep"); len(kept) > 0 {
				t.Errorf("packs are kept for good: %q", kept)
			}
		})
	}
}

// rested checks what a watch that has rested says of what happened meanwhile, and
// reports whether it says anything.
func (w *randomWork) rested(watch orchestrator.TreeWatch) bool {
	w.f.t.Helper()
	snap, err := watch.SnapshotChanges(w.f.t.Context(), goose, "before\n")
	if err != nil {
		w.f.t.Logf("after a rest: %v", err)
		w.f.must(watch.Close())
		return false
	}
	want := w.f.oracle(w.wt, w.forcedNow(), nil)
	if snap.Tree != want {
		w.f.t.Errorf("after a rest and %s\nsnapshot:\n%s\nplain git:\n%s", strings.Join(w.log, ", "),
			w.f.listing(w.f.repo, snap.Tree), w.f.listing(w.f.root+"/oracle", want))
	}
	if now, err := w.f.engine.Newest(w.f.t.Context(), w.wt); err != nil || now.Commit != snap.Commit {
		w.f.t.Errorf("the chain has %+v, %v", now, err)
	}
	return true
}

// confirmed checks that what was seen is confirmed, or replaced by what it
// should have been.
func (f *fixture) confirmed(w orchestrator.TreeWatch, fast orchestrator.Snapshot, want orchestrator.ObjectID) {
	f.t.Helper()
	snap, err := w.Confirm(f.t.Context(), goose, "turn\n")
	switch {
	case err != nil:
		f.t.Fatal(err)
	case snap.Tree != want || !snap.Verified:
		f.t.Errorf("confirmed as %+v, want tree %s", snap, want)
	case fast.Tree == want && snap.Commit != fast.Commit:
		f.t.Errorf("%s was right, and became %s", fast.Commit, snap.Commit)
	case snap.Parent != fast.Parent:
		f.t.Errorf("parent %s, want %s", snap.Parent, fast.Parent)
	}
}
