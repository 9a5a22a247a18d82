package worktree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestALockOfADeadBooIsInNobodysWay(t *testing.T) {
	e, repo := refRepo(t)
	common := orchestrator.GitDir(filepath.Join(repo, ".git"))
	out, err := exec.CommandContext(t.Context(), "git", "-C", repo, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	at := orchestrator.ObjectID(strings.TrimSpace(string(out)))
	ref := "refs/boo/chats/c000000001/baseline"
	path := filepath.Join(string(common), ref)

	for _, move := range []struct{ old, new orchestrator.ObjectID }{{"", at}, {at, at}, {at, ""}} {
		dead, err := lockRef(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		// While it is held it counts.
		if removeDead(path + ".lock") {
			t.Error("a lock was removed that is held")
		}
		waiting, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := lockRef(waiting, path); !errors.Is(err, context.Canceled) {
			t.Errorf("a second lock: %v", err)
		}
		_ = dead.Close() // the end of a process does as much
		if err := e.MoveRef(t.Context(), common, ref, move.old, move.new); err != nil {
			t.Fatal(err)
		}
		if now, err := refValue(common, ref); err != nil || now != move.new {
			t.Errorf("the ref is at %q, want %q: %v", now, move.new, err)
		}
		if info, err := os.Lstat(path); err == nil && info.Mode()&lockMark != 0 {
			t.Errorf("the ref has mode %v", info.Mode())
		}
	}
}

func refRepo(t *testing.T) (*Engine, string) {
	t.Helper()
	dir := t.TempDir()
	e, err := New(Options{Dir: filepath.Join(dir, "boo")})
	if err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(dir, "repo")
	for _, args := range [][]string{{"init", "-q", repo}, {"-C", repo, "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-q", "--allow-empty", "-m", "base"}} {
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return e, repo
}
