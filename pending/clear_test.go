package pending_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"boo/orchestrator"
)

// manyFiles is a world where an agent has edited more files than are cleared away
// before an apply answers, and replaced a directory.
func manyFiles(t *testing.T) *world {
	files := map[string]string{"dir/f": "f\n"}
	edits := map[string]string{"dir/f": "-", "dir": "a file\n"}
	for i := range 40 {
		files[fmt.Sprintf("f%02d", i)] = "before\n"
		edits[fmt.Sprintf("f%02d", i)] = "after\n"
	}
	w := newWorld(t, files)
	w.turn("goose", w.edit(map[string]string{"dir/f": "-", "dir": "-"}))
	delete(edits, "dir/f")
	w.turn("goose", w.edit(edits))
	return w
}

// apart lists the stages that are set apart.
func (w *world) apart() []string {
	left, _ := filepath.Glob(string(w.at.GitDir) + "/boo/applies/done-*")
	return left
}

func (w *world) uncleared() []orchestrator.Apply {
	w.t.Helper()
	records, err := w.store.Uncleared(w.t.Context(), "")
	if err != nil {
		w.t.Fatal(err)
	}
	return records
}

func TestWhatManyFilesLeaveIsClearedAfterwards(t *testing.T) {
	t.Parallel()
	w := manyFiles(t)
	before, after := tree(t, w.repo), tree(t, w.agent)
	result, err := w.apply()
	if err != nil {
		t.Fatalf("%v %v", err, result.Conflict)
	}
	same(t, "applied", tree(t, w.repo), after)
	if len(w.apart()) != 1 || len(w.uncleared()) != 1 {
		t.Fatalf("set apart: %v, and %d records lead there", w.apart(), len(w.uncleared()))
	}
	if told, err := w.engine.Recover(t.Context()); err != nil || len(told) > 0 {
		t.Errorf("a recovery tells of what is left for afterwards: %+v %v", told, err)
	}
	if _, err := w.undo(); err != nil {
		t.Fatal(err)
	}
	same(t, "undone", tree(t, w.repo), before)
	if len(w.apart()) != 2 || len(w.uncleared()) != 2 {
		t.Fatalf("after the undo, set apart: %v, and %d records lead there", w.apart(), len(w.uncleared()))
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := w.engine.Clear(ended); !errors.Is(err, context.Canceled) || len(w.apart()) != 2 {
		t.Errorf("clearing that is cut off: %v, and %d are left", err, len(w.apart()))
	}
	w.checkClean()
	if left := w.uncleared(); len(left) > 0 {
		t.Errorf("records that are not done: %d", len(left))
	}
	same(t, "cleared", tree(t, w.repo), before)
}

func TestKilledBeforeManyFilesAreSetApart(t *testing.T) {
	t.Parallel()
	w := manyFiles(t)
	after := tree(t, w.agent)
	steps, last := 0, ""
	w.engine.OnStep(func(step string) { steps, last = steps+1, step })
	w.mustApply()
	if last != "clear" {
		t.Fatalf("the last step is %q", last)
	}
	w.engine.OnStep(func(string) {})
	w.mustUndo()
	if !w.die("apply", steps) {
		t.Fatalf("an apply has fewer than %d steps", steps)
	}
	told, err := w.engine.Recover(t.Context())
	if err != nil || len(told) != 1 || told[0].State != orchestrator.ApplyApplied {
		t.Fatalf("recovered: %+v %v", told, err)
	}
	same(t, "applied", tree(t, w.repo), after)
	w.checkClean()
}

func TestWhatNoRecordLeadsToIsSwept(t *testing.T) {
	t.Parallel()
	w := manyFiles(t)
	left := filepath.Join(string(w.at.GitDir), "boo", "applies", "done-"+string(orchestrator.NewApplyID()))
	theirs := filepath.Join(filepath.Dir(left), "done-by-hand")
	for _, dir := range []string{filepath.Join(left, "old"), theirs} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.apply(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if err := os.Remove(theirs); err != nil {
		t.Errorf("what is not boo's was removed: %v", err)
	}
}
