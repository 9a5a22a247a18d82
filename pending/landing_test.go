package pending_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

// landingWorld is one where the person has edited and staged things of their
// own, in the files of the change and elsewhere.
func landingWorld(t testing.TB) *world {
	w := newWorld(t, map[string]string{"f": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "g": "g\n", "gone": "x\n", "mine": "m\n"})
	write(t, w.repo, map[string]string{"f": "1\n2\n3\n4\n5\n6\n7\n8\nstaged\n", "mine": "staged\n"})
	w.run(w.repo, "add", "f", "mine")
	write(t, w.repo, map[string]string{"f": "1\n2\n3\n4\nedited\n6\n7\n8\nstaged\n", "mine": "edited\n", "untracked": "u"})
	w.turn("goose", w.edit(map[string]string{"f": "agent\n2\n3\n4\n5\n6\n7\n8\n9\n", "new": "n\n", "gone": "-"}))
	w.turn("qwen", w.edit(map[string]string{"g": "G\n"}))
	return w
}

// show reads a file from a commit or, by ":", from the index.
func (w *world) show(rev, path string) string {
	return w.run(w.repo, "cat-file", "blob", rev+":"+path)
}

func (w *world) status() string { return w.run(w.repo, "status", "--porcelain", "-uall") }

// all is everything that an undo has to bring back.
func (w *world) all() string {
	return w.status() + w.run(w.repo, "ls-files", "-s") + w.run(w.repo, "for-each-ref", "refs/heads") + w.run(w.repo, "symbolic-ref", "HEAD")
}

func TestStagingStagesTheChangeAlone(t *testing.T) {
	t.Parallel()
	w := landingWorld(t)
	before, files := w.all(), tree(t, w.repo)
	w.options = orchestrator.ApplyOptions{Index: true}
	if r := w.mustApply(); !r.Staged || r.Commit != "" {
		t.Errorf("result %+v", r)
	}
	for path, want := range map[string]string{"f": "agent\n2\n3\n4\n5\n6\n7\n8\nstaged\n", "g": "G\n", "new": "n\n", "mine": "staged\n"} {
		if got := w.show("", path); got != want {
			t.Errorf("staged %s is %q, want %q", path, got, want)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(w.repo, "f")); string(got) != "agent\n2\n3\n4\nedited\n6\n7\n8\nstaged\n" {
		t.Errorf("f is %q", got)
	}
	if s := w.status(); !strings.Contains(s, "D  gone\n") || !strings.Contains(s, "MM f\n") || !strings.Contains(s, "A  new\n") {
		t.Errorf("status\n%s", s)
	}
	w.mustUndo()
	if got := w.all(); got != before {
		t.Errorf("after undo\n%s\nwas\n%s", got, before)
	}
	same(t, "after undo", tree(t, w.repo), files)
	w.checkSet()
}

func TestACommitHasTheChangeAlone(t *testing.T) {
	t.Parallel()
	w := landingWorld(t)
	before, files := w.all(), tree(t, w.repo)
	w.options = orchestrator.ApplyOptions{Commit: "Do the thing\n\nBecause.\n"}
	r := w.mustApply()
	if r.Ref != "refs/heads/main" || strings.TrimSpace(w.run(w.repo, "rev-parse", "HEAD")) != string(r.Commit) {
		t.Fatalf("result %+v", r)
	}
	if got := w.run(w.repo, "show", "--no-renames", "--format=", "--name-status", "HEAD"); got != "M\tf\nM\tg\nD\tgone\nA\tnew\n" {
		t.Errorf("the commit has\n%s", got)
	}
	if got := w.show("HEAD", "f"); got != "agent\n2\n3\n4\n5\n6\n7\n8\n9\n" {
		t.Errorf("committed f is %q", got)
	}
	if got := w.show("", "f"); got != "agent\n2\n3\n4\n5\n6\n7\n8\nstaged\n" {
		t.Errorf("staged f is %q", got)
	}
	if s := w.status(); s != "MM f\nMM mine\n?? untracked\n" {
		t.Errorf("status\n%s", s)
	}
	message := w.run(w.repo, "log", "-1", "--format=%B")
	for _, want := range []string{
		"Do the thing\n\nBecause.\n", "Co-authored-by: goose <goose@agents.boo.invalid>\n", "Co-authored-by: qwen <qwen@agents.boo.invalid>\n",
		"Boo-Chat: " + string(w.chat) + "\n", "Boo-Turn: t",
	} {
		if !strings.Contains(message, want) {
			t.Errorf("%q is missing in\n%s", want, message)
		}
	}
	w.mustUndo()
	if got := w.all(); got != before {
		t.Errorf("after undo\n%s\nwas\n%s", got, before)
	}
	same(t, "after undo", tree(t, w.repo), files)
	w.checkSet()
}

func TestANewBranchLeavesTheCheckoutAlone(t *testing.T) {
	t.Parallel()
	w := landingWorld(t)
	before, files := w.all(), tree(t, w.repo)
	w.options = orchestrator.ApplyOptions{Branch: "topic/one"}
	r := w.mustApply()
	same(t, "after the apply", tree(t, w.repo), files)
	if got := w.status() + w.run(w.repo, "ls-files", "-s"); !strings.HasPrefix(before, got) {
		t.Errorf("status or index have changed:\n%s", got)
	}
	if got := w.run(w.repo, "show", "--no-renames", "--format=%P", "--name-status", "topic/one"); got != w.run(w.repo, "rev-parse", "HEAD")+"\nM\tf\nM\tg\nD\tgone\nA\tnew\n" {
		t.Errorf("the branch has\n%s", got)
	}
	if len(w.pending()) != 0 || r.Commit == "" {
		t.Errorf("pending %v, result %+v", w.pending(), r)
	}
	w.options.Branch = "topic/one"
	w.mustUndo()
	if got := w.all(); got != before {
		t.Errorf("after undo\n%s\nwas\n%s", got, before)
	}
	w.checkSet()
	w.options.Branch = "no..name"
	if _, err := w.apply(); orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
		t.Errorf("a bad name: %v", err)
	}
	w.options.Branch = "main"
	if _, err := w.apply(); orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		t.Errorf("a name that is taken: %v", err)
	}
}

func TestAnUndoThatCannotBeSaysWhatToRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options orchestrator.ApplyOptions
		since   func(w *world)
		hint    string
	}{
		"committed on":      {orchestrator.ApplyOptions{Commit: "c"}, func(w *world) { w.run(w.repo, "commit", "-q", "--allow-empty", "-m", "more") }, "git revert"},
		"another branch":    {orchestrator.ApplyOptions{Commit: "c"}, func(w *world) { w.run(w.repo, "switch", "-q", "-c", "other") }, "git switch main"},
		"branch moved on":   {orchestrator.ApplyOptions{Branch: "b"}, func(w *world) { w.run(w.repo, "branch", "-q", "-f", "b", "main") }, "git revert"},
		"staged since":      {orchestrator.ApplyOptions{Index: true}, func(w *world) { w.run(w.repo, "add", "f") }, "git -C"},
		"a merge begun":     {orchestrator.ApplyOptions{Commit: "c"}, func(w *world) { w.run(w.repo, "update-ref", "--no-deref", "MERGE_HEAD", "HEAD") }, "git"},
		"on the new branch": {orchestrator.ApplyOptions{Branch: "b"}, func(w *world) { w.run(w.repo, "symbolic-ref", "HEAD", "refs/heads/b") }, "git switch -"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := landingWorld(t)
			w.options = c.options
			w.mustApply()
			c.since(w)
			before, files := w.all(), tree(t, w.repo)
			_, err := w.undo()
			if orchestrator.CodeOf(err) != orchestrator.CodeConflict || !strings.HasPrefix(orchestrator.HintOf(err), c.hint) {
				t.Fatalf("%v, try %q", err, orchestrator.HintOf(err))
			}
			if got := w.all(); got != before {
				t.Errorf("it changed\n%s", got)
			}
			same(t, "after the refusal", tree(t, w.repo), files)
			w.checkClean()
		})
	}
}

func TestWhatIsStagedOrCommittedCanCollideToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n"})
	write(t, w.repo, map[string]string{"f": "staged\n"})
	w.run(w.repo, "add", "f")
	write(t, w.repo, map[string]string{"f": "1\n"})
	w.turn("goose", w.edit(map[string]string{"f": "agent\n"}))
	before := w.all()
	for _, w.options = range []orchestrator.ApplyOptions{{Index: true}, {Commit: "c"}} {
		r, err := w.apply()
		if orchestrator.CodeOf(err) != orchestrator.CodeConflict || len(r.Conflict) != 1 || !strings.Contains(r.Conflict[0].Reason, "staged") {
			t.Errorf("%+v: %v %+v", w.options, err, r)
		}
	}
	if got := w.all(); got != before {
		t.Errorf("it changed\n%s", got)
	}
	w.options = orchestrator.ApplyOptions{}
	w.mustApply()
}

func TestCheckSaysWhatWouldBeAndWritesNothing(t *testing.T) {
	t.Parallel()
	w := landingWorld(t)
	before, files, refs := w.all(), tree(t, w.repo), w.run(w.repo, "for-each-ref")
	for _, o := range []orchestrator.ApplyOptions{{}, {Index: true}, {Commit: "c"}, {Branch: "b"}} {
		o.Check = true
		w.options = o
		r, err := w.apply()
		if err != nil || len(r.Files) != 4 || r.State != "" || r.ID != "" {
			t.Errorf("%+v: %v %+v", o, err, r)
		}
	}
	write(t, w.repo, map[string]string{"g": "other\n"})
	files["g"] = "-rw-r--r-- other\n"
	w.options = orchestrator.ApplyOptions{Check: true}
	if r, err := w.apply(); orchestrator.CodeOf(err) != orchestrator.CodeConflict || !strings.Contains(r.Conflict[0].Reason, "yours: 1)") {
		t.Errorf("%v %+v", err, r)
	}
	write(t, w.repo, map[string]string{"g": "g\n"})
	files["g"] = "-rw-r--r-- g\n"
	if got := w.all(); got != before || w.run(w.repo, "for-each-ref") != refs {
		t.Errorf("it changed\n%s", got)
	}
	same(t, "after the checks", tree(t, w.repo), files)
}

func TestMarkersAreWrittenOnRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n2\n3\n", "g": "g\n"})
	write(t, w.repo, map[string]string{"f": "1\nmine\n3\n"})
	files := tree(t, w.repo)
	w.turn("goose", w.edit(map[string]string{"f": "1\nagent\n3\n", "g": "G\n"}))
	w.options = orchestrator.ApplyOptions{Markers: true}
	r, err := w.apply()
	if orchestrator.CodeOf(err) != orchestrator.CodeConflict || r.State != orchestrator.ApplyApplied || len(r.Files) != 2 || !r.Files[0].Marked || r.Files[1].Marked {
		t.Fatalf("%v %+v", err, r)
	}
	if got, _ := os.ReadFile(filepath.Join(w.repo, "f")); string(got) != "1\n<<<<<<< yours\nmine\n=======\nagent\n>>>>>>> the agents'\n3\n" {
		t.Errorf("f is %q", got)
	}
	w.mustUndo()
	same(t, "after undo", tree(t, w.repo), files)
}

func TestKilledAtEveryStepOfACommit(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]orchestrator.ApplyOptions{"commit": {Commit: "c"}, "branch": {Branch: "b"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := landingWorld(t)
			w.options = o
			before, files := w.all(), tree(t, w.repo)
			for _, do := range []string{"apply", "undo"} {
				outcomes := map[bool]int{}
				for step := 1; w.die(do, step); step++ {
					applied := w.checkLanded(fmt.Sprintf("%s killed at step %d", do, step), before, files)
					outcomes[applied]++
					if applied && do == "apply" {
						w.mustUndo()
						w.checkLanded("undone", before, files)
					}
					if !applied && do == "undo" {
						w.mustApply()
					}
				}
				w.checkClean()
				if outcomes[true] < 2 || outcomes[false] < 2 {
					t.Errorf("%s: %v", do, outcomes)
				}
			}
		})
	}
}

// checkLanded makes sure that files, index, branches and store all say that the
// change is applied, or all that it is not.
func (w *world) checkLanded(what, before string, files map[string]string) (applied bool) {
	w.t.Helper()
	if _, err := w.engine.Recover(w.t.Context()); err != nil {
		w.t.Fatalf("%s: recover: %v", what, err)
	}
	w.checkSet()
	applied = len(w.pending()) == 0
	if !applied {
		same(w.t, what, tree(w.t, w.repo), files)
		if got := w.all(); got != before {
			w.t.Errorf("%s:\n%s\nwas\n%s", what, got, before)
		}
	} else if w.options.Commit != "" && w.status() != "MM f\nMM mine\n?? untracked\n" {
		w.t.Errorf("%s: status\n%s", what, w.status())
	} else if w.options.Branch != "" && !strings.Contains(w.run(w.repo, "branch", "--list"), w.options.Branch) {
		w.t.Errorf("%s: no branch", what)
	}
	if w.t.Failed() {
		w.t.FailNow()
	}
	return applied
}
