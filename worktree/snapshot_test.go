package worktree_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree"
)

func TestSnapshotsAreAChainFromTheBase(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	if newest, err := f.engine.Newest(t.Context(), wt); err != nil || newest.Commit != "" {
		t.Errorf("a snapshot before the first: %+v, %v", newest, err)
	}
	first := f.snapshot(wt)
	f.write(string(wt.Dir)+"/a.txt", "b\n")
	second := f.snapshot(wt)
	if first.Parent != wt.Base || second.Parent != first.Commit {
		t.Errorf("parents are %s and %s", first.Parent, second.Parent)
	}
	newest, err := f.engine.Newest(t.Context(), wt)
	if err != nil || newest.Commit != second.Commit || newest.Tree != second.Tree || newest.Parent != first.Commit {
		t.Errorf("newest is %+v, %v", newest, err)
	}
	ref := "refs/boo/chats/" + string(wt.Chat) + "/head"
	if got := f.git(f.repo, "log", "-1", "--format=%an <%ae> %at, %cn", ref); got != "goose <goose@boo> 1700000000, boo" {
		t.Errorf("signed %s", got)
	}
	odd := orchestrator.Signature{Name: "<\n>", Email: ""}
	if _, err := f.engine.Snapshot(t.Context(), wt, odd, "a NUL \x00 in it"); err != nil {
		t.Errorf("odd signature and message: %v", err)
	}
}

func TestSnapshotsSurviveGarbageCollection(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	gc := func() {
		f.git(f.repo, "reflog", "expire", "--expire=now", "--all")
		f.git(f.repo, "gc", "-q", "--prune=now")
	}
	gc()
	f.write(string(wt.Dir)+"/b.txt", "b\n")
	f.snapshot(wt)
	gc()
	// The person rewrites their history away from the base.
	f.git(f.repo, "commit", "-q", "--amend", "-m", "other")
	gc()
	f.write(string(wt.Dir)+"/c.txt", "c\n")
	f.git(f.repo, "worktree", "prune", "--expire=now")
	snap := f.snapshot(wt)
	gc()
	f.git(f.repo, "fsck", "--full", "--strict")
	if got := f.git(f.repo, "ls-tree", "-r", "--name-only", string(snap.Commit)); got != "a.txt\nb.txt\nc.txt" {
		t.Errorf("snapshot holds %q", got)
	}
}

func TestPrivateIndexIsRebuilt(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.write(f.repo+"/b.txt", "b\n")
	withSubmodule(f)
	f.commit()
	wt := f.create()
	private := filepath.Join(f.opts.Dir, "chats", string(wt.Chat))
	want := f.snapshot(wt).Tree
	for name, damage := range map[string]func(){
		"truncated": func() {
			if err := os.Truncate(private+"/index", 40); err != nil {
				t.Fatal(err)
			}
		},
		"garbage":  func() { f.write(private+"/index", "not an index at all") },
		"gone":     func() { f.remove(private + "/index") },
		"locked":   func() { f.write(private+"/index.lock", "") },
		"all gone": func() { f.remove(private) },
		"no config": func() {
			f.remove(private + "/git/config")
			f.remove(private + "/git/HEAD")
		},
		"of another commit": func() {
			f.git(string(wt.Dir), "rm", "-q", "--cached", "b.txt")
			index, err := os.ReadFile(filepath.Join(string(wt.CommonDir), "worktrees", string(wt.Chat), "index"))
			if err != nil {
				t.Fatal(err)
			}
			f.write(private+"/index", string(index))
		},
	} {
		damage()
		if snap := f.snapshot(wt); snap.Tree != want || len(snap.Skipped) > 0 {
			t.Errorf("%s: tree is %s, want %s; skipped %v", name, snap.Tree, want, snap.Skipped)
		}
	}
}

func TestLimitsNameWhatIsLeftOut(t *testing.T) {
	f := newFixture(t, func(o *worktree.Options) { o.MaxFile, o.MaxUntracked = 1000, 20 })
	f.write(f.repo+"/big", "small yet\n")
	f.write(f.repo+"/app/src/a", "a\n")
	f.commit()
	wt := f.create()
	dir := string(wt.Dir)
	f.write(dir+"/big", strings.Repeat("x", 900))
	f.write(dir+"/app/node_modules/early", "recorded while there was room\n")
	first := f.snapshot(wt)

	f.write(dir+"/big", strings.Repeat("x", 1001))
	f.write(dir+"/app/src/new", "new\n")
	for i := range 30 {
		f.write(fmt.Sprintf("%s/app/node_modules/p%d/index.js", dir, i), "x\n")
	}
	second := f.snapshot(wt)
	skipped := skippedPaths(second)
	if len(skipped) != 2 || !strings.Contains(skipped["big"], "large") || !strings.Contains(skipped["app/node_modules"], "31 untracked files") {
		t.Errorf("skipped %v", second.Skipped)
	}
	// What was recorded before stays as it was; the rest is recorded.
	if got := f.git(f.repo, "diff-tree", "-r", "--name-status", string(first.Commit), string(second.Commit)); got != "A\tapp/src/new" {
		t.Errorf("second snapshot differs in %q", got)
	}
}

func TestFilesAtTheTopCanFloodToo(t *testing.T) {
	f := newFixture(t, func(o *worktree.Options) { o.MaxUntracked = 5 })
	f.commit()
	wt := f.create()
	for i := range 8 {
		f.write(fmt.Sprintf("%s/f%d", wt.Dir, i), "x\n")
	}
	if snap := f.snapshot(wt); len(snap.Skipped) != 8 {
		t.Errorf("skipped %v", snap.Skipped)
	}
}

func TestTrackedFileBecomesAFifo(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a", "a\n")
	f.commit()
	wt := f.create()
	f.remove(string(wt.Dir) + "/a")
	mkfifo(t, string(wt.Dir)+"/a")
	snap := f.snapshot(wt)
	if reason := skippedPaths(snap)["a"]; !strings.Contains(reason, "neither a file") {
		t.Errorf("skipped %v", snap.Skipped)
	}
	if got := f.git(f.repo, "ls-tree", "--name-only", string(snap.Tree)); got != "a" {
		t.Errorf("what cannot be read counts as deleted: %q", got)
	}
}

// What the snapshot before had not does not come back with something in its place
// that cannot be recorded.
func TestDeletedFileBecomesAFifo(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a", "a\n")
	f.commit()
	wt := f.create()
	f.remove(string(wt.Dir) + "/a")
	f.snapshot(wt)
	mkfifo(t, string(wt.Dir)+"/a")
	snap := f.snapshot(wt)
	if got := f.git(f.repo, "ls-tree", "--name-only", string(snap.Tree)); got != "" || len(snap.Skipped) != 1 {
		t.Errorf("recorded %q, skipped %v", got, snap.Skipped)
	}
}

// Git would wait at it for ever.
func TestAnIndexThatIsAPipeHoldsNothingUp(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a", "a\n")
	f.commit()
	wt := f.create()
	f.write(string(wt.Dir)+"/b", "b\n")
	index := f.git(string(wt.Dir), "rev-parse", "--absolute-git-dir") + "/index"
	f.remove(index)
	mkfifo(t, index)
	snap := f.snapshot(wt)
	if got := f.git(f.repo, "ls-tree", "--name-only", string(snap.Tree)); got != "a\nb" || !strings.Contains(skippedPaths(snap)["."], "index") {
		t.Errorf("recorded %q, skipped %v", got, snap.Skipped)
	}
}

func TestSnapshotRefusesWhatIsNotTheWorktree(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a", "a\n")
	f.commit()
	wt := f.create()
	f.symlink(f.repo, string(wt.Dir))
	if _, err := f.engine.Snapshot(t.Context(), wt, goose, "m"); orchestrator.CodeOf(err) != orchestrator.CodeUnverified {
		t.Errorf("error %v", err)
	}
}

func TestSnapshotExplainsARepositoryThatWasMoved(t *testing.T) {
	f := newFixture(t)
	f.commit()
	wt := f.create()
	rename(f, f.repo, f.root+"/moved")
	_, err := f.engine.Snapshot(t.Context(), wt, goose, "m")
	if orchestrator.CodeOf(err) != orchestrator.CodeNotFound || !strings.Contains(err.Error(), "moved or deleted") {
		t.Errorf("error %v", err)
	}
}

func TestStaleLockOnARefIsBroken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit()
	wt := f.create()
	f.snapshot(wt)
	lock := f.repo + "/.git/refs/boo/chats/" + string(wt.Chat) + "/head.lock"
	f.write(lock, "")
	// It is waited for, here until the caller has enough.
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := f.engine.Snapshot(short, wt, goose, "m"); err == nil {
		t.Error("a fresh lock was broken")
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(lock, old, old); err != nil {
		t.Fatal(err)
	}
	f.snapshot(wt)
}

func TestMoveRefComparesAndSwaps(t *testing.T) {
	f := newFixture(t)
	a, b := f.commit(), f.commit()
	common := orchestrator.GitDir(f.repo + "/.git")
	move := func(old, new orchestrator.ObjectID) orchestrator.Code {
		if err := f.engine.MoveRef(t.Context(), common, "refs/boo/x", old, new); err != nil {
			return orchestrator.CodeOf(err)
		}
		return ""
	}
	for i, got := range []orchestrator.Code{move("", a), move(a, b), move(b, "")} {
		if got != "" {
			t.Errorf("step %d: %s", i, got)
		}
	}
	for i, got := range []orchestrator.Code{move(a, b), move(a, "")} {
		if got != orchestrator.CodeConflict {
			t.Errorf("wrong old value %d: %q", i, got)
		}
	}
	if err := f.engine.MoveRef(t.Context(), common, "refs/heads/main", b, a); orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
		t.Errorf("a branch of the person's: %v", err)
	}
}
