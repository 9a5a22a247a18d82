package worktree_test

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
	"boo/worktree"
)

// The git here leaves a process that holds what it held, as one does that
// outlives its boo.
func TestWhoTakesBackWaitsForTheLastGitThatChangesTheIndex(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "go")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	wrapper := gitWrapper{script: `case "$*" in *update-index*) cat "$FIFO" </dev/null >/dev/null 2>&1 & ;; esac` + "\n"}
	f := newFixture(t, wrapper.install(t, "FIFO='"+fifo+"'"))
	f.write(f.repo+"/f", "1\n")
	f.commit()
	c, err := f.engine.Checkout(t.Context(), f.repo)
	if err != nil {
		t.Fatal(err)
	}
	id := orchestrator.ObjectID(f.git(f.repo, "rev-parse", "HEAD:f"))
	steps := []orchestrator.IndexStep{{Path: "g", After: orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: id}}}
	if err := f.engine.Stage(t.Context(), c, steps, id); err != nil {
		t.Fatal(err)
	}
	other, err := worktree.New(worktree.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := other.Landed(short, c, "", ""); err == nil {
		t.Error("nothing was waited for")
	}
	end, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := end.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Landed(t.Context(), c, "", ""); err != nil {
		t.Error(err)
	}
}

func TestTheLockOfAKilledGitIsRemovedIfItMovedABranchToACommitOfBoo(t *testing.T) {
	t.Parallel()
	f, c, _ := stageWorld(t)
	made := orchestrator.ObjectID(strings.TrimSpace(f.git(f.repo, "commit-tree", "-m", "made", "HEAD^{tree}")))
	other := strings.TrimSpace(f.git(f.repo, "rev-parse", "HEAD"))
	for _, ref := range []string{"refs/heads/topic/one", "HEAD"} {
		lock := f.repo + "/.git/" + ref + ".lock"
		for content, stays := range map[string]bool{string(made) + "\n": false, other + "\n": true, string(made): true, "": true, string(made) + "\n\n": true} {
			f.write(lock, content)
			if err := f.engine.Landed(t.Context(), c, ref, made); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(lock); errors.Is(err, fs.ErrNotExist) == stays {
				t.Errorf("%s with %q: %v", ref, content, err)
			}
			_ = os.Remove(lock)
		}
	}
}
