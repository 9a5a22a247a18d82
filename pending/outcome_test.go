package pending_test

import (
	"testing"

	"boo/orchestrator"
)

// foreseen asks what an apply would come to.
func (w *world) foreseen() orchestrator.ApplyResult {
	w.t.Helper()
	opts := w.options
	opts.Check = true
	r, err := w.engine.Apply(w.t.Context(), orchestrator.ApplyRequest{Worktree: w.worktree(), Checkout: w.at, Changes: w.pending(), Options: opts, Outcome: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// applyChecked applies all that is pending if it comes to a tree.
func (w *world) applyChecked(tree orchestrator.ObjectID) (orchestrator.ApplyResult, error) {
	w.t.Helper()
	return w.engine.Apply(w.t.Context(), orchestrator.ApplyRequest{Worktree: w.worktree(), Checkout: w.at, Changes: w.pending(), Options: w.options, Checked: tree})
}

func TestWhatWasForeseenIsWhatIsWritten(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]orchestrator.ApplyOptions{
		"edits": {}, "staged": {Index: true}, "committed": {Commit: "m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := landingWorld(t)
			w.options = options
			before := tree(t, w.repo)
			r := w.foreseen()
			same(t, "after only looking", tree(t, w.repo), before)
			if _, err := w.applyChecked(r.Tree); err != nil {
				t.Fatal(err)
			}
			now, _, err := w.git.Files(t.Context(), w.at)
			if err != nil || now != r.Tree || now == r.Under {
				t.Errorf("the checkout has tree %s, %v; foreseen was %s over %s", now, err, r.Tree, r.Under)
			}
			w.mustUndo()
			if back, _, err := w.git.Files(t.Context(), w.at); err != nil || back != r.Under {
				t.Errorf("after the undo it is %s, %v; it was %s", back, err, r.Under)
			}
		})
	}
}

func TestWhatIsForeseenOfABranchIsItsCommit(t *testing.T) {
	t.Parallel()
	w := landingWorld(t)
	w.options = orchestrator.ApplyOptions{Branch: "side"}
	r := w.foreseen()
	if _, err := w.applyChecked(r.Tree); err != nil {
		t.Fatal(err)
	}
	if got := w.run(w.repo, "rev-parse", "side^{tree}"); got != string(r.Tree)+"\n" && got != string(r.Tree) {
		t.Errorf("the branch has %s, foreseen was %s", got, r.Tree)
	}
}

func TestNothingIsWrittenIfAnotherTreeWouldComeOfIt(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]map[string]string{
		"an edit elsewhere": {"mine": "more\n"}, "an edit in the file": {"f": "1\n2\n3\n4\nedited\n6\n7\nmore\nstaged\n"},
		"a new file": {"fresh": "x\n"}, "a file that went": {"mine": "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := landingWorld(t)
			r := w.foreseen()
			w.edit(edit)(w.repo)
			before := tree(t, w.repo)
			got, err := w.applyChecked(r.Tree)
			if orchestrator.CodeOf(err) != orchestrator.CodeConflict || len(got.Files) > 0 || got.State == orchestrator.ApplyApplied {
				t.Errorf("got %+v, %v", got, err)
			}
			same(t, "after the refusal", tree(t, w.repo), before)
		})
	}
}
