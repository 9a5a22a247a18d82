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
	for range 100 { // on a slow machine a list does not wait for all of it
		if got.Bytes > 0 {
			break
		}
		if list, err = w.WorktreeList(t.Context(), w.repo, false); err != nil {
			t.Fatal(err)
		}
		got = list[0]
	}
	if got.State != orchestrator.WorktreeActive || got.Fault != "" || got.Bytes == 0 || got.Snapshots == 0 || got.Dirs != 1 || got.Base == "" {
		t.Errorf("listed %+v", got)
	}
	// What boo itself keeps for the chat may have grown meanwhile.
	again, err := w.WorktreeList(t.Context(), w.repo, true)
	if err != nil || len(again) != 1 || again[0].Bytes < got.Bytes || again[0].Dirs != got.Dirs || again[0].Measured.IsZero() {
		t.Errorf("then %+v, %v", again, err)
	}
}
