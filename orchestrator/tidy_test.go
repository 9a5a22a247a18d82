package orchestrator_test

import (
	"testing"

	"boo/orchestrator"
)

func TestWorktreesAreListedWithWhatTheyTake(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "write new.txt with hello")
	list, err := w.WorktreeList(t.Context(), w.repo, false)
	if err != nil || len(list) != 1 {
		t.Fatalf("listed %+v, %v", list, err)
	}
	got := list[0]
	if got.State != orchestrator.WorktreeActive || got.Fault != "" || got.Bytes == 0 || got.Snapshots == 0 || got.Base == "" {
		t.Errorf("listed %+v", got)
	}
	again, err := w.WorktreeList(t.Context(), w.repo, true)
	if err != nil || len(again) != 1 || again[0].TreeUsage != got.TreeUsage {
		t.Errorf("then %+v, %v", again, err)
	}
}
