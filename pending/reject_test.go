package pending_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
)

func (w *world) reject(opts orchestrator.RejectOptions, paths ...orchestrator.Path) (orchestrator.ApplyResult, error) {
	w.t.Helper()
	if err := w.engine.CatchUp(w.t.Context(), w.chat); err != nil {
		return orchestrator.ApplyResult{}, err
	}
	return w.engine.Reject(w.t.Context(), orchestrator.RejectRequest{
		Worktree: w.worktree(), Origin: w.at.Dir, Changes: w.pending(paths...), Options: opts,
	})
}

func (w *world) mustReject(opts orchestrator.RejectOptions, paths ...orchestrator.Path) orchestrator.ApplyResult {
	w.t.Helper()
	r, err := w.reject(opts, paths...)
	if err != nil || r.State != orchestrator.ApplyApplied {
		w.t.Fatalf("reject: %v %+v", err, r)
	}
	w.catchLast()
	w.checkClean()
	w.checkSet()
	return r
}

// catchLast moves the world's idea of the newest snapshot to the chain's.
func (w *world) catchLast() {
	w.t.Helper()
	snap, err := w.git.Newest(w.t.Context(), w.worktree())
	if err != nil {
		w.t.Fatal(err)
	}
	if snap.Commit != "" {
		w.last = snap.Commit
	}
}

var rejectEdits = map[string]string{
	"edited": "1\nagent\n3\n", "new/dir/f": "new", "gone": "-", "mode.sh": "+x:echo\n", "link": "-> mode.sh",
	"file-to-dir": "-", "bin": "\x00b",
}

func rejectWorld(t testing.TB) (w *world, base, after map[string]string) {
	w = newWorld(t, map[string]string{"edited": "1\n2\n3\n", "gone": "x", "mode.sh": "echo\n", "link": "-> edited", "file-to-dir": "f", "bin": "\x00a"})
	base = tree(t, w.agent)
	w.turn("goose", w.edit(rejectEdits))
	w.turn("goose", w.edit(map[string]string{"file-to-dir/g": "g"}))
	return w, base, tree(t, w.agent)
}

func TestARejectPutsTheBaselineBackAndAnUndoTheChanges(t *testing.T) {
	t.Parallel()
	w, base, after := rejectWorld(t)
	mine := tree(t, w.repo)
	rows := w.pending()
	r := w.mustReject(orchestrator.RejectOptions{Reason: "not like that"})
	same(t, "after the reject", tree(t, w.agent), base)
	same(t, "the checkout", tree(t, w.repo), mine)
	if len(w.pending()) != 0 || len(r.Files) != len(rows) {
		t.Fatalf("still pending %v; rejected %v", w.pending(), r.Files)
	}
	rejected, err := w.store.Changes(t.Context(), orchestrator.ChangeQuery{Chat: w.chat, States: []orchestrator.ChangeState{orchestrator.ChangeRejected}})
	if err != nil || len(rejected) != len(rows) || rejected[0].Reason != "not like that" || rejected[0].AppliedBy != r.ID {
		t.Fatalf("rejected rows %+v, %v", rejected, err)
	}
	notes, err := w.store.Notes(t.Context(), w.chat, "goose")
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0].Text, "not like that") || !strings.Contains(notes[0].Text, "new/dir/f") {
		t.Fatalf("notes %+v, %v", notes, err)
	}
	w.mustUndo()
	w.catchLast()
	w.checkSet()
	same(t, "after the undo", tree(t, w.agent), after)
	for i, row := range w.pending() {
		if row.FileChange != rows[i].FileChange || !slices.Equal(row.Contributors, rows[i].Contributors) {
			t.Errorf("pending again is %+v, was %+v", row, rows[i])
		}
	}
	if notes, _ = w.store.Notes(t.Context(), w.chat, "goose"); len(notes) != 0 {
		t.Errorf("a reject that was undone is told still: %+v", notes)
	}
}

func TestARejectOfOnePathLeavesTheOthers(t *testing.T) {
	t.Parallel()
	w, _, after := rejectWorld(t)
	w.mustReject(orchestrator.RejectOptions{}, "edited")
	want := maps.Clone(after)
	want["edited"] = "-rw-r--r-- 1\n2\n3\n"
	same(t, "after the reject", tree(t, w.agent), want)
}

func TestWhatThePersonEditedInTheWorktreeIsRecordedAsTheirs(t *testing.T) {
	t.Parallel()
	w, _, _ := rejectWorld(t)
	write(t, w.agent, map[string]string{"by-hand": "mine\n"})
	w.mustReject(orchestrator.RejectOptions{}, "edited")
	rows := w.pending("by-hand")
	if len(rows) != 1 || len(rows[0].Agents()) != 1 || rows[0].Agents()[0] != orchestrator.Person {
		t.Errorf("rows %+v", rows)
	}
}

func TestAnUndoOfARejectRefusesToOverwriteALaterEdit(t *testing.T) {
	t.Parallel()
	w, _, _ := rejectWorld(t)
	w.mustReject(orchestrator.RejectOptions{}, "edited")
	w.turn("qwen", w.edit(map[string]string{"edited": "later\n"}))
	before := tree(t, w.agent)
	r, err := w.undo()
	if orchestrator.CodeOf(err) != orchestrator.CodeConflict || len(r.Conflict) != 1 || r.Conflict[0].Path != "edited" {
		t.Fatalf("%v %+v", err, r)
	}
	same(t, "after the refusal", tree(t, w.agent), before)
}

func TestUndoTakesAppliesAndRejectsBackInTheirOrder(t *testing.T) {
	t.Parallel()
	w, base, after := rejectWorld(t)
	mine := tree(t, w.repo)
	w.mustApply("edited")
	w.mustReject(orchestrator.RejectOptions{})
	applied := tree(t, w.repo)
	want := maps.Clone(base)
	want["edited"] = after["edited"]
	same(t, "rejected all but what is applied", tree(t, w.agent), want)
	w.mustUndo()
	same(t, "the reject is undone", tree(t, w.agent), after)
	same(t, "and the apply is not", tree(t, w.repo), applied)
	w.mustUndo()
	same(t, "now it is", tree(t, w.repo), mine)
	w.catchLast()
	w.checkSet()
}

func TestAHunkIsRejectedAndTheOthersStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n2\n3\n4\n5\n6\n7\n8\n9\n"})
	w.turn("goose", w.edit(map[string]string{"f": "one\n2\n3\n4\nfive\n6\n7\n8\nnine\n"}))
	row := w.pending()[0]
	w.mustReject(orchestrator.RejectOptions{Hunks: map[orchestrator.ChangeID][]int{row.ID: {1}}})
	if got, _ := os.ReadFile(filepath.Join(w.agent, "f")); string(got) != "one\n2\n3\n4\n5\n6\n7\n8\nnine\n" {
		t.Errorf("f is %q", got)
	}
	left := w.pending()
	if len(left) != 1 || left[0].ID == row.ID || !slices.Equal(left[0].Contributors, row.Contributors) {
		t.Errorf("pending %+v", left)
	}
	w.mustUndo()
	w.catchLast()
	w.checkSet()
	if again := w.pending(); len(again) != 1 || again[0].FileChange != row.FileChange || len(again[0].Contributors) != 1 {
		t.Errorf("pending again %+v", again)
	}
}

func TestKilledAtEveryStepOfReject(t *testing.T) {
	t.Parallel()
	w, base, after := rejectWorld(t)
	outcomes := map[bool]int{}
	for step := 1; w.die("reject", step); step++ {
		rejected := w.checkRejected(fmt.Sprintf("reject killed at step %d", step), base, after)
		outcomes[rejected]++
		if rejected {
			w.mustUndo()
			w.catchLast()
			same(t, "after undo", tree(t, w.agent), after)
		}
	}
	if outcomes[false] < 15 || outcomes[true] < 2 {
		t.Errorf("%d deaths before the commit, %d after", outcomes[false], outcomes[true])
	}
	w.checkRejected("at the end", base, after)
}

func TestKilledAtEveryStepOfAnUndoneReject(t *testing.T) {
	t.Parallel()
	w, base, after := rejectWorld(t)
	w.mustReject(orchestrator.RejectOptions{})
	outcomes := map[bool]int{}
	for step := 1; w.die("undo", step); step++ {
		rejected := w.checkRejected(fmt.Sprintf("undo killed at step %d", step), base, after)
		outcomes[rejected]++
		if !rejected {
			w.mustReject(orchestrator.RejectOptions{})
		}
	}
	if outcomes[true] < 15 || outcomes[false] < 2 {
		t.Errorf("%d deaths before the commit, %d after", outcomes[true], outcomes[false])
	}
	w.checkRejected("at the end", base, after)
}

// checkRejected makes sure that the worktree is in one of the two states, and
// that the store agrees once it has been caught up.
func (w *world) checkRejected(what string, base, after map[string]string) (rejected bool) {
	w.t.Helper()
	if _, err := w.engine.Recover(w.t.Context()); err != nil {
		w.t.Fatalf("%s: recover: %v", what, err)
	}
	if err := w.engine.CatchUp(w.t.Context(), w.chat); err != nil {
		w.t.Fatalf("%s: catch up: %v", what, err)
	}
	w.catchLast()
	w.checkClean()
	w.checkSet()
	if rejected = len(w.pending()) == 0; rejected {
		same(w.t, what+", rejected", tree(w.t, w.agent), base)
	} else {
		same(w.t, what+", not rejected", tree(w.t, w.agent), after)
		for _, row := range w.pending() {
			if got := row.Agents(); len(got) != 1 || got[0] != "goose" {
				w.t.Errorf("%s: %s is credited to %v", what, row.Path, got)
			}
		}
	}
	if w.t.Failed() {
		w.t.FailNow()
	}
	return rejected
}
