package pending_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestUndoRefusesRatherThanOverwriteAnEditMadeSince(t *testing.T) {
	t.Parallel()
	for name, since := range map[string]map[string]string{
		"edited":           {"f": "mine\n"},
		"deleted":          {"f": "-"},
		"made executable":  {"f": "+x:2\n"},
		"made a symlink":   {"f": "-> g"},
		"new one edited":   {"new": "mine"},
		"deleted one back": {"gone": "mine"},
		"its place taken":  {"gone/x": "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"f": "1\n", "g": "1\n", "gone": "x"})
			w.turn("goose", w.edit(map[string]string{"f": "2\n", "g": "2\n", "new": "n", "gone": "-"}))
			w.mustApply()
			write(t, w.repo, since)
			before := tree(t, w.repo)
			r, err := w.undo()
			if orchestrator.CodeOf(err) != orchestrator.CodeConflict || len(r.Conflict) != 1 {
				t.Fatalf("error %v, result %+v", err, r)
			}
			same(t, "after the refusal", tree(t, w.repo), before)
			w.checkClean()
			w.checkSet()
		})
	}
}

// Where the person has put everything of a path back, nothing is left to take
// back there, and nothing speaks against it.
func TestUndoTakesWhatThePersonPutBackForUndone(t *testing.T) {
	t.Parallel()
	base := map[string]string{"f": "1\n", "g": "1\n", "gone": "x", "d/e/gone": "y"}
	w := newWorld(t, base)
	t0 := tree(t, w.repo)
	w.turn("goose", w.edit(map[string]string{"f": "2\n", "g": "2\n", "new/n": "n", "gone": "-", "d/e/gone": "-"}))
	w.mustApply()
	write(t, w.repo, map[string]string{"f": "1\n", "gone": "x", "new": "-"})
	r := w.mustUndo()
	for _, f := range r.Files {
		if back := f.Path == "f" || f.Path == "gone" || f.Path == "new/n"; f.Already != back {
			t.Errorf("%s was already back: %v", f.Path, f.Already)
		}
	}
	same(t, "after the undo", tree(t, w.repo), t0)
	w.checkSet()
	w.mustApply() // all of it is pending again
}

func TestUndoTakesBackOneApplyAfterTheOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n", "g": "1\n"})
	t0 := tree(t, w.repo)
	w.turn("goose", w.edit(map[string]string{"f": "2\n", "g": "2\n", "d/new": "n"}))
	first := w.mustApply("f")
	t1 := tree(t, w.repo)
	w.checkSet()
	w.turn("qwen", w.edit(map[string]string{"f": "3\n"}))
	second := w.mustApply()
	w.checkSet()
	if r := w.mustUndo(); r.ID != second.ID {
		t.Errorf("undid %s, want %s", r.ID, second.ID)
	}
	same(t, "after one undo", tree(t, w.repo), t1)
	w.checkSet()
	if r := w.mustUndo(); r.ID != first.ID {
		t.Errorf("undid %s, want %s", r.ID, first.ID)
	}
	same(t, "after two", tree(t, w.repo), t0)
	w.checkSet()
	for _, row := range w.pending("f") {
		var who []string
		for _, a := range row.Agents() {
			who = append(who, string(a))
		}
		if got := strings.Join(who, " "); got != "goose qwen" {
			t.Errorf("f is credited to %q", got)
		}
	}
	if _, err := w.undo(); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("a third undo: %v", err)
	}
}

func TestUndoAfterTheChatWentOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		later map[string]string
		rows  int
	}{
		"changed again":                 {map[string]string{"f": "3\n"}, 2},
		"put back to where it was":      {map[string]string{"f": "1\n"}, 1},
		"deleted":                       {map[string]string{"f": "-"}, 2},
		"another file":                  {map[string]string{"g": "2\n"}, 3},
		"the new file removed again":    {map[string]string{"new": "-"}, 1},
		"everything back to its origin": {map[string]string{"f": "1\n", "new": "-"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"f": "1\n", "g": "1\n"})
			before := tree(t, w.repo)
			w.turn("goose", w.edit(map[string]string{"f": "2\n", "new": "n"}))
			w.mustApply()
			w.turn("qwen", w.edit(c.later))
			w.checkSet()
			w.mustUndo()
			same(t, "after undo", tree(t, w.repo), before)
			w.checkSet()
			if rows := w.pending(); len(rows) != c.rows {
				t.Errorf("%d pending, want %d: %v", len(rows), c.rows, rows)
			}
		})
	}
}

func TestUndoLeavesTheBaselineWhereALaterApplyElsewhereMovedIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n", "g": "1\n"})
	other := filepath.Join(w.dir, "other")
	w.run(w.repo, "worktree", "add", "-q", "--detach", other)
	here := w.at
	there, err := w.git.Checkout(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	before := tree(t, w.repo)
	w.turn("goose", w.edit(map[string]string{"f": "2\n", "g": "2\n"}))
	w.mustApply()
	w.turn("goose", w.edit(map[string]string{"f": "3\n"}))
	w.at = there
	if _, err := w.apply(); orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		t.Errorf("f is at 1 there, and at the baseline at 2: %v", err)
	}
	write(t, other, map[string]string{"f": "2\n"})
	w.mustApply()
	if got, _ := os.ReadFile(filepath.Join(other, "f")); string(got) != "3\n" {
		t.Errorf("applied %q in the linked worktree", got)
	}
	w.at = here
	w.mustUndo()
	same(t, "undone here", tree(t, w.repo), before)
	w.checkSet()
	if rows := w.pending(); len(rows) != 1 || rows[0].Path != "g" {
		t.Errorf("pending: %v, want g alone", rows)
	}
}

func TestUndoSurvivesGarbageCollection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n2\n3\n4\n5\n", "tracked": "x\n"})
	write(t, w.repo, map[string]string{"f": "mine, never committed\n2\n3\n4\n5\n", "tracked": "mine too\n"})
	before := tree(t, w.repo)
	w.turn("goose", w.edit(map[string]string{"f": "1\n2\n3\n4\nagent\n"}))
	r := w.mustApply()
	w.run(w.repo, "reflog", "expire", "--expire=now", "--all")
	w.run(w.repo, "gc", "-q", "--prune=now")
	if got := w.run(w.repo, "show", "refs/boo/applies/"+string(r.ID)+"^2:before/f"); got != "mine, never committed\n2\n3\n4\n5\n" {
		t.Errorf("held before the apply: %q", got)
	}
	w.mustUndo()
	same(t, "undone", tree(t, w.repo), before)
}

func TestEmptyDirectoriesGoAndComeAsInGit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a/b/c/f": "x", "a/b/g": "x", "stays/f": "x", "stays/g": "x"})
	if err := os.MkdirAll(filepath.Join(w.repo, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := tree(t, w.repo)
	w.turn("goose", w.edit(map[string]string{"a": "-", "stays/f": "-", "empty/new": "n", "made/by/boo": "n"}))
	w.mustApply()
	after := tree(t, w.repo)
	for _, gone := range []string{"a", "a/b", "a/b/c"} {
		if _, ok := after[gone]; ok {
			t.Errorf("%s was left empty", gone)
		}
	}
	if after["stays"] == "" {
		t.Error("a directory that is not empty was removed")
	}
	w.mustUndo()
	same(t, "undone", tree(t, w.repo), before)
}
