package worktree_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"boo/orchestrator"
)

// An edit through a hard link outside the tree tells no watcher anything.
func TestWhatTheWatcherMissedIsCorrected(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/linked.txt", "before\n")
	f.write(f.repo+"/seen.txt", "before\n")
	f.commit()
	wt := f.create()
	linked, outside := string(wt.Dir)+"/linked.txt", f.root+"/outside"
	past := time.Now().Add(-time.Hour)
	if err := errors.Join(os.Link(linked, outside), os.Chtimes(linked, past, past)); err != nil {
		t.Fatal(err)
	}
	first := f.snapshot(wt)
	w := f.watching(wt)
	f.write(outside, "behind its back\n")
	f.write(string(wt.Dir)+"/seen.txt", "after\n")
	fast, err := w.Snapshot(t.Context(), goose, "turn\n")
	if err != nil {
		t.Fatal(err)
	}
	want := f.oracle(wt, nil, nil)
	if fast.Verified || fast.Tree == want {
		t.Fatalf("the watcher saw all: %+v", fast)
	}
	if now, err := f.engine.Newest(t.Context(), wt); err != nil || now.Commit != first.Commit {
		t.Errorf("the chain has what was not confirmed: %+v, %v", now, err)
	}
	f.confirmed(w, fast, want)
	if now, err := f.engine.Newest(t.Context(), wt); err != nil || now.Tree != want {
		t.Errorf("the chain has %+v, %v", now, err)
	}
}

func TestNothingIsWrittenWhereNothingChanged(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	record := func() orchestrator.Snapshot {
		snap, err := f.engine.SnapshotChanges(t.Context(), wt, goose, "before\n")
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	first := record()
	if again := record(); again.Commit != first.Commit {
		t.Errorf("%s became %s", first.Commit, again.Commit)
	}
	f.write(string(wt.Dir)+"/a.txt", "b\n")
	if changed := record(); changed.Parent != first.Commit {
		t.Errorf("parent %s, want %s", changed.Parent, first.Commit)
	}
}
