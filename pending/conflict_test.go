package pending_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"boo/orchestrator"
)

func TestTheirEditElsewhereInTheFileSurvives(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "g": "g\n"})
	write(t, w.repo, map[string]string{"f": "+x:1\n2\n3\n4\n5\n6\n7\n8\nmine\n"})
	mine := tree(t, w.repo)
	w.turn("goose", w.edit(map[string]string{"f": "agent\n2\n3\n4\n5\n6\n7\n8\n9\n", "g": "G\n"}))
	r := w.mustApply()
	for _, f := range r.Files {
		if f.Merged != (f.Path == "f") {
			t.Errorf("%s: merged %v", f.Path, f.Merged)
		}
	}
	want := maps.Clone(mine)
	want["f"] = "-rwxr-xr-x agent\n2\n3\n4\n5\n6\n7\n8\nmine\n"
	want["g"] = "-rw-r--r-- G\n"
	same(t, "merged", tree(t, w.repo), want)
	w.mustUndo()
	same(t, "undone", tree(t, w.repo), mine)
}

// A change that needs another to go first is not among those that can be taken
// without it.
func TestARefusalNamesWhatCanBeTakenWithoutIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"d": "a file\n", "f": "1\n"})
	w.turn("goose", w.edit(map[string]string{"d": "-", "f": "2\n"}))
	w.turn("goose", w.edit(map[string]string{"d/x": "in a directory\n"}))
	write(t, w.repo, map[string]string{"d": "mine\n"})
	_, err := w.apply()
	if orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		t.Fatal(err)
	}
	want := "boo pending apply " + string(w.pending("f")[0].ID)
	if got := orchestrator.HintOf(err); got != want {
		t.Errorf("it says to try %q, want %q", got, want)
	}
	w.mustApply("f")
	if _, err := w.apply(); orchestrator.HintOf(err) != "boo pending diff" {
		t.Errorf("nothing can be taken, and it says %q", orchestrator.HintOf(err))
	}
}

func TestTheMergeIsGitsOwn(t *testing.T) {
	t.Parallel()
	base := "a\nb\nc\nd\ne\nf\ng\nh\n"
	mine := "a\nB\nc\nd\ne\nf\ng\nh\ni\n"
	theirs := "0\na\nb\nc\nd\ne\nF\ng\nh\n"
	w := newWorld(t, map[string]string{"f": base})
	write(t, w.repo, map[string]string{"f": mine})
	w.turn("goose", w.edit(map[string]string{"f": theirs}))
	write(t, w.dir, map[string]string{"base": base, "mine": mine, "theirs": theirs})
	want := w.run(w.dir, "merge-file", "-p", "mine", "base", "theirs")
	w.mustApply()
	if got, _ := os.ReadFile(filepath.Join(w.repo, "f")); string(got) != want {
		t.Errorf("got %q, git merges to %q", got, want)
	}
}

var conflictBase = map[string]string{"f": "1\n2\n3\n", "g": "g\n", "bin": "\x00a", "link": "-> f", "d/x": "x\n", ".gitignore": "ignored\n"}

// conflictCases say what the person and the agent do, which paths then
// collide, and a part of the reason that each of them gets.
var conflictCases = map[string]struct {
	mine, theirs map[string]string
	prepare      func(t *testing.T, repo string)
	paths        string
	reason       string
}{
	"same line":               {mine: map[string]string{"f": "1\nmine\n3\n"}, theirs: map[string]string{"f": "1\nagent\n3\n", "g": "G\n"}, paths: "f", reason: "same lines"},
	"binary":                  {mine: map[string]string{"bin": "\x00m"}, theirs: map[string]string{"bin": "\x00t"}, paths: "bin", reason: "binary"},
	"deleted by me":           {mine: map[string]string{"f": "-"}, theirs: map[string]string{"f": "1\nagent\n3\n"}, paths: "f", reason: "you deleted"},
	"deleted by the agent":    {mine: map[string]string{"f": "1\nmine\n3\n"}, theirs: map[string]string{"f": "-"}, paths: "f", reason: "deletes"},
	"untracked in the way":    {mine: map[string]string{"new": "mine"}, theirs: map[string]string{"new": "agent"}, paths: "new", reason: "there already"},
	"ignored in the way":      {mine: map[string]string{"ignored": "mine"}, theirs: map[string]string{".gitignore": "", "ignored": "agent"}, paths: "ignored", reason: "there already"},
	"link retargeted by both": {mine: map[string]string{"link": "-> g"}, theirs: map[string]string{"link": "-> bin"}, paths: "link", reason: "both changed"},
	"file became a link":      {mine: map[string]string{"g": "-> f"}, theirs: map[string]string{"g": "G\n"}, paths: "g", reason: "both changed"},
	"directory for a new file": {
		mine: map[string]string{"new/untracked": "mine"}, theirs: map[string]string{"new": "agent"}, paths: "new", reason: "new/untracked",
	},
	"directory for a file": {
		mine: map[string]string{"f": "-", "f/mine": "mine"}, theirs: map[string]string{"f": "1\nagent\n"}, paths: "f", reason: "you deleted",
	},
	"untracked file in a directory that becomes a file": {
		mine: map[string]string{"d/mine": "mine"}, theirs: map[string]string{"d/x": "-", "d": "file"}, paths: "d", reason: "d/mine",
	},
	"file where a directory is needed": {
		mine: map[string]string{"new": "mine"}, theirs: map[string]string{"new/deep/f": "agent"}, paths: "new/deep/f", reason: "directory is needed",
	},
	"link where a directory is needed": {
		mine: map[string]string{"new": "-> d"}, theirs: map[string]string{"new/f": "agent"}, paths: "new/f", reason: "directory is needed",
	},
	"my link in place of a directory": {
		prepare: func(t *testing.T, repo string) {
			write(t, repo, map[string]string{"d": "-"})
			write(t, repo, map[string]string{"d": "-> .", "x": "x\n"})
		}, theirs: map[string]string{"d/x": "agent", "d/y": "agent"}, paths: "d/x d/y", reason: "",
	},
	"pipe in the way": {
		prepare: func(t *testing.T, repo string) {
			if err := syscall.Mkfifo(filepath.Join(repo, "new"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, theirs: map[string]string{"new": "agent"}, paths: "new", reason: "special kind",
	},
	"repository of my own": {
		mine: map[string]string{"sub/.git/HEAD": "ref: refs/heads/main\n"}, theirs: map[string]string{"sub/f": "agent"}, paths: "sub/f", reason: "repository of its own",
	},
}

func TestConflictsChangeNothingAndNameThePaths(t *testing.T) {
	t.Parallel()
	for name, c := range conflictCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, conflictBase)
			write(t, w.repo, c.mine)
			if c.prepare != nil {
				c.prepare(t, w.repo)
			}
			before := tree(t, w.repo)
			w.turn("goose", func(dir string) {
				gone, rest := map[string]string{}, map[string]string{}
				for p, content := range c.theirs {
					if content == "-" {
						gone[p] = content
						if d := filepath.Dir(p); d != "." {
							gone[d] = content
						}
					} else {
						rest[p] = content
					}
				}
				write(t, dir, gone)
				write(t, dir, rest)
			})
			rows := w.pending()
			r, err := w.apply()
			if orchestrator.CodeOf(err) != orchestrator.CodeConflict {
				t.Fatalf("error %v, result %+v", err, r)
			}
			if orchestrator.HintOf(err) == "" {
				t.Error("no hint")
			}
			var paths []string
			for _, pc := range r.Conflict {
				paths = append(paths, string(pc.Path))
				if !strings.Contains(pc.Reason, c.reason) || pc.Reason == "" {
					t.Errorf("%s: reason %q, want one with %q", pc.Path, pc.Reason, c.reason)
				}
			}
			if got := strings.Join(paths, " "); got != c.paths {
				t.Errorf("conflicts in %q, want %q", got, c.paths)
			}
			same(t, "after the refusal", tree(t, w.repo), before)
			if !slices.EqualFunc(rows, w.pending(), func(a, b orchestrator.Change) bool { return a.ID == b.ID }) {
				t.Error("the pending rows moved")
			}
			w.checkClean()
		})
	}
}

func TestWhatIsThereAlreadyIsTakenAsApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n", "gone": "x", "dir/f": "x"})
	theirs := map[string]string{"f": "2\n", "new": "n", "gone": "-", "dir": "-"}
	write(t, w.repo, theirs)
	before := tree(t, w.repo)
	w.turn("goose", w.edit(theirs))
	for _, f := range w.mustApply().Files {
		if !f.Already {
			t.Errorf("%s was written", f.Path)
		}
	}
	same(t, "already there", tree(t, w.repo), before)
	if rows := w.pending(); len(rows) != 0 {
		t.Errorf("still pending: %v", rows)
	}
	w.checkSet()
	w.mustUndo()
	same(t, "undone", tree(t, w.repo), before)
	if rows := w.pending(); len(rows) != 4 {
		t.Errorf("%d changes are pending again", len(rows))
	}
}

func TestHostileChangesAreRefusedWithTheirReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n"})
	w.turn("goose", w.edit(map[string]string{"out": "-> ../../etc", "abs": "-> /etc/passwd", "hooks": "-> .git/hooks", "fine": "-> f"}))
	before := tree(t, w.repo)
	r, err := w.apply()
	if orchestrator.CodeOf(err) != orchestrator.CodeConflict || len(r.Conflict) != 3 {
		t.Fatalf("error %v, conflicts %v", err, r.Conflict)
	}
	for _, pc := range r.Conflict {
		if !strings.HasPrefix(pc.Reason, "refused: it is a symlink") {
			t.Errorf("%s: %s", pc.Path, pc.Reason)
		}
	}
	same(t, "after the refusal", tree(t, w.repo), before)
	w.mustApply("fine")
}

func TestNothingIsAppliedThatIsNotPending(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"f": "1\n"})
	w.turn("goose", w.edit(map[string]string{"f": "2\n"}))
	shown := w.pending()
	w.turn("goose", w.edit(map[string]string{"f": "3\n"}))
	req := orchestrator.ApplyRequest{Worktree: w.worktree(), Checkout: w.at, Changes: shown}
	if _, err := w.engine.Apply(t.Context(), req); orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		t.Errorf("a superseded change: %v", err)
	}
	req.Changes = nil
	if _, err := w.engine.Apply(t.Context(), req); orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
		t.Errorf("no change at all: %v", err)
	}
	if _, err := w.undo(); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("undo without an apply: %v", err)
	}
}
