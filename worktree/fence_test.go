package worktree_test

import (
	"errors"
	"os"
	"testing"

	"boo/orchestrator"
)

// turnEnded is a worktree with a turn whose fast snapshot is on the chain; the
// person writes while it waits to be confirmed. The watcher has missed an edit
// through a hard link where miss is set.
func turnEnded(f *fixture, miss bool) (wt orchestrator.Worktree, w orchestrator.TreeWatch, fast orchestrator.Snapshot) {
	f.t.Helper()
	for _, name := range []string{"linked.txt", "agents.txt", "mine.txt", "gone.txt", "dir/a.txt", "dir/b.txt"} {
		f.write(f.repo+"/"+name, "before\n")
	}
	f.commit()
	wt = f.create()
	dir, outside := string(wt.Dir), f.root+"/outside"
	f.must(os.Link(dir+"/linked.txt", outside))
	settle()
	f.snapshot(wt)
	w = f.watching(wt)
	if miss {
		f.write(outside, "behind its back\n")
	}
	f.write(dir+"/agents.txt", "the agent's\n")
	fast, err := w.Snapshot(f.t.Context(), goose, "turn\n")
	f.must(err)
	f.must(w.Keep(f.t.Context()))
	if fast.Verified {
		f.t.Fatalf("not watched: %+v", fast)
	}
	return wt, w, fast
}

// edits are a person's, of each kind.
func (f *fixture) edits(wt orchestrator.Worktree) {
	f.t.Helper()
	dir := string(wt.Dir)
	f.write(dir+"/agents.txt", "the person's\n")
	f.write(dir+"/mine.txt", "the person's\n")
	f.write(dir+"/new/deep/file.txt", "the person's\n")
	f.must(errors.Join(os.Remove(dir+"/gone.txt"), os.Rename(dir+"/dir", dir+"/moved")))
}

func TestWhatIsWrittenAfterTheTurnIsOfTheNextSnapshot(t *testing.T) {
	f := newFixture(t)
	wt, w, fast := turnEnded(f, false)
	f.edits(wt)
	f.confirmed(w, fast, fast.Tree)
	w.Rest(t.Context())
	next, err := w.SnapshotChanges(t.Context(), goose, "before\n")
	f.must(err)
	if want := f.oracle(wt, nil, nil); next.Tree != want || next.Parent != fast.Commit {
		t.Errorf("the next snapshot is %+v, want tree %s on %s", next, want, fast.Commit)
	}
}

func TestACorrectionLeavesOutWhatIsWrittenAfterTheTurn(t *testing.T) {
	f := newFixture(t)
	wt, w, fast := turnEnded(f, true)
	want := f.oracle(wt, nil, nil)
	f.edits(wt)
	f.confirmed(w, fast, want)
	w.Rest(t.Context())
	if _, err := w.SnapshotChanges(t.Context(), goose, "before\n"); err == nil {
		t.Error("a watch that missed something is believed")
	}
	if next := f.snapshot(wt); next.Tree != f.oracle(wt, nil, nil) {
		t.Errorf("the next snapshot is %+v", next)
	}
}

// What the watcher cannot tell by itself is left to the next snapshot, which looks
// at all files.
func TestWhereTheWatchCannotTellTheTurnStandsAsItWasSeen(t *testing.T) {
	for name, do := range map[string]func(f *fixture, dir string){
		"rules": func(f *fixture, dir string) { f.write(dir+"/.gitignore", "agents.txt\nnew\n") },
		"attributes": func(f *fixture, dir string) {
			f.write(dir+"/.gitattributes", "*.txt text eol=crlf\n")
			f.write(dir+"/mine.txt", "a\r\nb\r\n")
		},
		"a repository": func(f *fixture, dir string) {
			f.git(dir, "init", "-q", "nested")
			f.write(dir+"/nested/x.txt", "x\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			wt, w, fast := turnEnded(f, true)
			do(f, string(wt.Dir))
			f.confirmed(w, fast, fast.Tree)
			w.Rest(t.Context())
			if _, err := w.SnapshotChanges(t.Context(), goose, "before\n"); err == nil {
				t.Error("a watch that cannot tell is believed")
			}
		})
	}
}
