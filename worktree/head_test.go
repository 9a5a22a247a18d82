package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"boo/orchestrator"
)

func TestHeadIsTheNewestSnapshotHoweverItIsKept(t *testing.T) {
	f := newFixture(t)
	f.write(filepath.Join(f.repo, "a"), "one\n")
	f.commit()
	wt := f.create()
	want := func(what string) {
		t.Helper()
		snap, err := f.engine.Newest(t.Context(), wt)
		head, headErr := f.engine.Head(t.Context(), wt)
		if err != nil || headErr != nil || head != snap.Commit {
			t.Errorf("%s: %q (%v), want %q (%v)", what, head, headErr, snap.Commit, err)
		}
	}
	want("none yet")
	f.snapshot(wt)
	want("loose")
	f.git(f.repo, "pack-refs", "--all")
	want("packed")
	f.write(filepath.Join(string(wt.Dir), "b"), "two\n")
	f.snapshot(wt)
	want("loose over packed")
	ref := filepath.Join(f.repo, ".git", "refs/boo/chats", string(wt.Chat), "head")
	if err := os.WriteFile(ref, []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if head, err := f.engine.Head(t.Context(), wt); err != nil || head != orchestrator.ObjectID(f.git(f.repo, "rev-parse", "main")) {
		t.Errorf("symbolic: %q, %v", head, err)
	}
}
