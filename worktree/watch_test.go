package worktree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	f.must(os.Link(linked, outside))
	settle()
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

// Between turns a watch holds nothing open in the worktree, and knows what became
// of it all the same.
func TestAWatchThatRestsGoesOnWatching(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	first := f.snapshot(wt)
	w := f.watching(wt)
	between := func() orchestrator.Snapshot {
		t.Helper()
		if dirs := w.Rest(t.Context()); dirs != 1 {
			t.Errorf("%d directories are watched", dirs)
		}
		// What is new is open for as long as it is looked at.
		open := openBelow(t, string(wt.Dir))
		for tries, tick := 0, time.Tick(time.Millisecond); len(open) > 0 && tries < 5000; tries++ {
			<-tick
			open = openBelow(t, string(wt.Dir))
		}
		if len(open) > 0 {
			t.Errorf("open at rest: %q", open)
		}
		snap, err := w.SnapshotChanges(t.Context(), goose, "before\n")
		f.must(err)
		return snap
	}
	if same := between(); same.Commit != first.Commit {
		t.Errorf("nothing changed, and %s became %s", first.Commit, same.Commit)
	}
	f.write(string(wt.Dir)+"/a.txt", "b\n")
	f.write(string(wt.Dir)+"/new/deep/c.txt", "c\n")
	edited := between()
	if want := f.oracle(wt, nil, nil); edited.Tree != want || edited.Parent != first.Commit {
		t.Errorf("after edits: %+v, want tree %s", edited, want)
	}
	f.write(string(wt.Dir)+"/new/deep/d.txt", "d\n")
	fast, err := w.Snapshot(t.Context(), goose, "turn\n")
	f.must(err)
	f.must(w.Keep(t.Context()))
	if now, err := f.engine.Newest(t.Context(), wt); err != nil || now.Commit != fast.Commit || fast.Parent != edited.Commit {
		t.Errorf("kept %+v, the chain has %+v, %v", fast, now, err)
	}
	f.confirmed(w, fast, f.oracle(wt, nil, nil))
	w.Rest(t.Context())
	f.snapshot(wt) // by another hand
	if snap, err := w.SnapshotChanges(t.Context(), goose, "before\n"); err == nil {
		t.Errorf("the chain went on without the watch, which says %+v", snap)
	}
}

// A turn that writes nothing has a commit of its own, on the tree of the one before;
// and what is written right after it is found all the same.
func TestTurnsThatWriteNothing(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	last := f.snapshot(wt)
	w := f.watching(wt)
	for turn := range 6 {
		w.Rest(t.Context())
		before, err := w.SnapshotChanges(t.Context(), goose, "before\n")
		if f.must(err); before.Commit != last.Commit {
			t.Fatalf("turn %d begins with %s, the one before ended with %s", turn, before.Commit, last.Commit)
		}
		if turn%3 == 2 {
			f.write(fmt.Sprintf("%s/new/%d.txt", wt.Dir, turn), "c\n")
		}
		fast, err := w.Snapshot(t.Context(), goose, "turn\n")
		f.must(err)
		want := f.oracle(wt, nil, nil)
		if fast.Tree != want || fast.Parent != last.Commit {
			t.Fatalf("turn %d: %+v, want tree %s on %s", turn, fast, want, last.Commit)
		}
		f.must(w.Keep(t.Context()))
		if turn%3 == 1 { // the person's, while it is compared
			f.write(fmt.Sprintf("%s/a.txt", wt.Dir), fmt.Sprintln(turn))
		}
		f.confirmed(w, fast, want)
		if last = fast; turn%3 == 1 {
			last, err = w.SnapshotChanges(t.Context(), goose, "before\n")
			if f.must(err); last.Tree != f.oracle(wt, nil, nil) || last.Parent != fast.Commit {
				t.Fatalf("after turn %d: %+v", turn, last)
			}
		}
	}
}

func TestAWatchThatIsOfNoMoreUseHoldsNothingOpen(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	f.snapshot(wt)
	w := f.watching(wt)
	f.git(string(wt.Dir), "init", "-q", "nested") // only git judges that
	f.write(string(wt.Dir)+"/b.txt", "b\n")
	_, err := w.Snapshot(t.Context(), goose, "turn\n")
	f.must(err)
	if dirs := w.Rest(t.Context()); dirs != 0 {
		t.Errorf("%d directories are watched for nothing", dirs)
	}
	if open := openBelow(t, string(wt.Dir)); len(open) > 0 {
		t.Errorf("open at rest: %q", open)
	}
}

// openBelow lists what this process has open in a directory.
func openBelow(t *testing.T, dir string) (open []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, dir) {
			open = append(open, at)
		}
	}
	return open
}
