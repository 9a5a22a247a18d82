package pending_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"boo/orchestrator"
)

// While somebody else's git holds the index, nothing can be staged, and so
// nothing is written; edits alone do not need it.
func TestALockedIndexKeepsFromStagingOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n"})
	w.turn("goose", w.edit(map[string]string{"f": "2\n", "new": "n"}))
	before := tree(t, w.repo)
	lock := filepath.Join(string(w.at.GitDir), "index.lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, options := range []orchestrator.ApplyOptions{{Index: true}, {Commit: "m"}} {
		w.options = options
		_, err := w.apply()
		if err == nil || !strings.Contains(err.Error(), "index.lock") {
			t.Errorf("with %+v the error is %v", options, err)
		}
		same(t, "after the refusal", tree(t, w.repo), before)
		w.checkClean()
	}
	w.options = orchestrator.ApplyOptions{}
	w.mustApply()
	if _, err := os.Lstat(lock); err != nil {
		t.Error("somebody else's lock was removed")
	}
}

func TestLandingInASparseCheckoutTouchesItsPathsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"in/f": "1\n", "out/f": "1\n", "out/deep/g": "1\n", "top": "1\n"})
	w.turn("goose", w.edit(map[string]string{"in/f": "2\n", "in/new": "n\n", "out/f": "2\n"}))
	w.run(w.repo, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
	before, files := w.run(w.repo, "ls-files", "-t"), tree(t, w.repo)
	w.options = orchestrator.ApplyOptions{Commit: "m"}
	r, err := w.apply()
	if orchestrator.CodeOf(err) != orchestrator.CodeConflict || len(r.Conflict) != 1 || r.Conflict[0].Path != "out/f" {
		t.Fatalf("error %v, result %+v", err, r)
	}
	if why := r.Conflict[0].Reason; !strings.Contains(why, "sparse") || !strings.HasSuffix(why, "git sparse-checkout add out") {
		t.Errorf("the reason is %q", why)
	}
	same(t, "after the refusal", tree(t, w.repo), files)
	w.mustApply("in/f", "in/new")
	if s := w.status(); s != "" {
		t.Errorf("after the commit the status is\n%s", s)
	}
	if got := w.run(w.repo, "ls-files", "-t"); got != strings.Replace(before, "H in/f\n", "H in/f\nH in/new\n", 1) {
		t.Errorf("the index has\n%s\nhad\n%s", got, before)
	}
	w.mustUndo()
	if got := w.run(w.repo, "ls-files", "-t"); got != before || w.status() != "" {
		t.Errorf("after undo\n%s%s\nwas\n%s", got, w.status(), before)
	}
	same(t, "after undo", tree(t, w.repo), files)
}

// What the person has taken out of the index by hand is as they want it.
func TestAnUndoLeavesWhatWasUnstagedByHand(t *testing.T) {
	t.Parallel()
	for name, unstage := range map[string][]string{"some": {"g", "new"}, "all": {"."}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := landingWorld(t)
			files := tree(t, w.repo)
			w.options = orchestrator.ApplyOptions{Index: true}
			w.mustApply()
			w.run(w.repo, append([]string{"restore", "--staged"}, unstage...)...)
			w.mustUndo()
			same(t, "after undo", tree(t, w.repo), files)
			want := "MM f\nMM mine\n?? untracked\n"
			if name == "all" {
				want = " M f\n M mine\n?? untracked\n"
			}
			if got := w.status(); got != want {
				t.Errorf("the status is\n%swant\n%s", got, want)
			}
			w.checkSet()
		})
	}
}

// prepared has boo killed in an apply as soon as that is on record.
func (w *world) prepared() orchestrator.Apply {
	w.t.Helper()
	for step := 1; w.die("apply", step); step++ {
		open, err := w.store.Applies(w.t.Context(), "", orchestrator.ApplyPrepared)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(open) > 0 {
			return open[0]
		}
		if _, err := w.engine.Recover(w.t.Context()); err != nil || len(w.pending()) == 0 {
			w.t.Fatalf("killed at step %d, with nothing prepared: %v, %v", step, err, w.pending())
		}
	}
	w.t.Fatal("no step leaves a record")
	return orchestrator.Apply{}
}

// A git that a killed boo had started holds the git directory to its own end;
// nothing is taken back before.
func TestARecoveryWaitsForTheGitOfAKilledBoo(t *testing.T) {
	t.Parallel()
	w := landingWorld(t)
	w.options = orchestrator.ApplyOptions{Commit: "m"}
	before, files := w.all(), tree(t, w.repo)
	w.prepared()
	git, err := os.Open(string(w.at.GitDir))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(git.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	at, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	_, err = w.engine.Recover(at)
	cancel()
	if err == nil {
		t.Fatal("a recovery did not wait")
	}
	if err := git.Close(); err != nil {
		t.Fatal(err)
	}
	if w.checkLanded("once git has ended", before, files) {
		t.Error("it was applied")
	}
}

// What git leaves when it is killed between writing a branch and giving it its name.
func TestALockThatADeadBooLeftOnABranchIsTakenBackToo(t *testing.T) {
	t.Parallel()
	w := landingWorld(t)
	w.options = orchestrator.ApplyOptions{Commit: "m"}
	before, files := w.all(), tree(t, w.repo)
	l := w.prepared().Landing
	lock := filepath.Join(string(w.at.CommonDir), l.Ref+".lock")
	if err := os.WriteFile(lock, []byte(l.New+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if w.checkLanded("with a lock on the branch", before, files) {
		t.Error("it was applied")
	}
	if _, err := os.Lstat(lock); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock is there still: %v", err)
	}
}

func TestACommitOnABranchWithoutCommits(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"f": "1\n"}, "--object-format="+format)
			w.turn("goose", w.edit(map[string]string{"f": "2\n", "new": "n\n"}))
			w.run(w.repo, "checkout", "-q", "--orphan", "fresh")
			w.run(w.repo, "rm", "-q", "-r", "--cached", ".")
			before := tree(t, w.repo)
			w.options = orchestrator.ApplyOptions{Commit: "first"}
			if r, err := w.apply(); orchestrator.CodeOf(err) != orchestrator.CodeConflict || len(r.Conflict) != 1 || r.Conflict[0].Path != "f" {
				t.Fatalf("f is not there to be changed: error %v, result %+v", err, r)
			}
			r := w.mustApply("new")
			if got := w.run(w.repo, "log", "--format=%H %P", "fresh"); strings.TrimSpace(got) != string(r.Commit) {
				t.Errorf("the log is %q, the commit %s", got, r.Commit)
			}
			if got := w.show("fresh", "new"); got != "n\n" {
				t.Errorf("committed is %q", got)
			}
			w.mustUndo()
			same(t, "after undo", tree(t, w.repo), before)
			if got := w.run(w.repo, "for-each-ref", "refs/heads/fresh"); got != "" {
				t.Errorf("the branch is still there: %s", got)
			}
		})
	}
}
