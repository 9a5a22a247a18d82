package orchestrator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

// notices are what boo itself had to say in a turn.
func (h heard) notices() string {
	var said []string
	for _, ev := range h.events {
		if ev.Kind == orchestrator.EventNotice {
			said = append(said, ev.Text)
		}
	}
	return strings.Join(said, "\n")
}

func TestALostWorktreeComesBackWithTheNextTurn(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "write new.txt with hello")
	before := w.changes()
	dir := filepath.Dir(w.tree("x"))
	w.check(os.RemoveAll(dir))

	h := w.turn("one", "write other.txt with there")
	if !strings.Contains(h.notices(), "was gone; its files are those of the newest snapshot") {
		t.Errorf("said %q", h.notices())
	}
	if content, _ := os.ReadFile(filepath.Join(dir, "new.txt")); !strings.Contains(string(content), "hello") {
		t.Errorf("new.txt holds %q", content)
	}
	if after := w.changes(); len(after) != len(before)+1 {
		t.Errorf("pending: %v, before: %v", after, before)
	}
}

func TestABranchThatAnAgentSwitchesToIsTold(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "write new.txt with hello")
	admin := filepath.Join(w.repo, ".git", "worktrees", filepath.Base(filepath.Dir(w.tree("x"))))
	w.check(os.WriteFile(filepath.Join(admin, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
	if h := w.turn("one", "write new.txt with again"); !strings.Contains(h.notices(), `on branch "main"`) {
		t.Errorf("said %q", h.notices())
	}
}

func TestAMovedRepositoryIsKnownAgain(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "write new.txt with hello")
	w.turn("one", "write kept.txt with hello")
	if _, err := w.Apply(t.Context(), orchestrator.ChangeSelector{Dir: w.repo, Args: []string{"new.txt"}}, orchestrator.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	moved := w.repo + "-moved"
	w.check(os.Rename(w.repo, moved))
	w.repo = moved
	if got := w.changes(); len(got) != 1 || !strings.HasPrefix(got[0], "kept.txt") {
		t.Errorf("pending after the move: %v", got)
	}
	if h := w.turn("one", "write third.txt with hello"); !strings.Contains(h.notices(), "it leads to the repository again") {
		t.Errorf("said %q", h.notices())
	}
	if _, err := w.Undo(t.Context(), w.repo, func() {}); err != nil {
		t.Errorf("undo what was applied before the move: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(moved, "new.txt")); err == nil {
		t.Error("the undo left the file there")
	}
	w.git("worktree", "list")
}

func TestACopyOfARepositoryIsNotTakenForIt(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "write new.txt with hello")
	original := w.repo
	w.repo = original + "-copy"
	w.check(os.CopyFS(w.repo, os.DirFS(original)))
	if got := w.changes(); len(got) != 0 {
		t.Errorf("the copy has pending changes: %v", got)
	}
	w.repo = original
	if got := w.changes(); len(got) != 1 {
		t.Errorf("the original has %v", got)
	}
}

func TestRepairSaysWhatItDidToEach(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "write new.txt with hello")
	dir := filepath.Dir(w.tree("x"))
	ref := orchestrator.ChatRef{Dir: w.repo}
	repairs, err := w.Repair(t.Context(), ref)
	if err != nil || len(repairs) != 1 || len(repairs[0].Done) != 0 || repairs[0].Left != "" {
		t.Fatalf("of a whole one: %+v, %v", repairs, err)
	}
	w.check(os.Remove(filepath.Join(dir, ".git")))
	repairs, err = w.Repair(t.Context(), ref)
	if err != nil || len(repairs) != 1 || len(repairs[0].Done) != 1 {
		t.Fatalf("without .git: %+v, %v", repairs, err)
	}
	w.check(os.RemoveAll(dir))
	w.check(os.WriteFile(dir, nil, 0o600))
	repairs, err = w.Repair(t.Context(), ref)
	if err != nil || len(repairs) != 1 || repairs[0].Left == "" || repairs[0].Hint == "" {
		t.Fatalf("with a file in its place: %+v, %v", repairs, err)
	}
}
