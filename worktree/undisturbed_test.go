package worktree_test

import (
	"os"
	"testing"

	"boo/orchestrator"
)

// afterTurn is a worktree that rests after a turn, of which every file was
// compared; one is ignored, and added by force.
func afterTurn(t *testing.T) (*fixture, orchestrator.Worktree, orchestrator.TreeWatch) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.write(f.repo+"/deep/in/b.txt", "b\n")
	f.write(f.repo+"/.gitignore", "*.log\nbuild/\n")
	f.commit()
	wt := f.create()
	dir := string(wt.Dir)
	f.write(dir+"/build/forced.o", "forced\n")
	f.write(dir+"/build/other.o", "ignored\n")
	f.git(dir, "add", "-f", "build/forced.o")
	settle()
	w := f.watching(wt)
	f.write(dir+"/made.txt", "by the turn\n")
	f.rest(w)
	return f, wt, w
}

// rest ends a turn.
func (f *fixture) rest(w orchestrator.TreeWatch) {
	f.t.Helper()
	fast, err := w.Snapshot(f.t.Context(), goose, "turn\n")
	f.must(err)
	if _, err := w.Confirm(f.t.Context(), goose, "turn\n"); err != nil || fast.Verified {
		f.t.Fatalf("%+v, %v", fast, err)
	}
	w.Rest(f.t.Context())
}

func TestWhatAWatchSawNothingOfIsNotLookedThroughAgain(t *testing.T) {
	f, wt, w := afterTurn(t)
	undisturbed := func(what string, want bool) {
		t.Helper()
		if is := f.engine.Undisturbed(t.Context(), wt); is != want {
			t.Errorf("%s: %v", what, is)
		}
	}
	undisturbed("at rest", true)
	undisturbed("asked again", true)
	from, to := string(wt.Dir), f.root+"/moved"
	f.must(os.Rename(from, to))
	undisturbed("moved away", false)
	wt.Dir = orchestrator.WorktreeDir(to)
	undisturbed("where it was moved to", true)
	f.write(to+"/deep/in/b.txt", "edited there\n")
	undisturbed("edited there", false)
	f.must(os.Rename(to, from))
	wt.Dir = orchestrator.WorktreeDir(from)
	undisturbed("edited and moved back", false)
	if snap, err := w.SnapshotChanges(t.Context(), goose, "before\n"); err != nil || snap.Tree != f.oracle(wt, []string{"build/forced.o"}, nil) {
		t.Errorf("the next turn begins with %+v, %v", snap, err)
	}
	undisturbed("while a turn runs", false)
	f.rest(w)
	undisturbed("after another turn", true)
	f.must(w.Close())
	undisturbed("without a watch", false)
}

func TestWhateverTouchesAWorktreeHasItLookedThrough(t *testing.T) {
	for name, touch := range map[string]func(f *fixture, dir string){
		"an edit":                 func(f *fixture, dir string) { f.write(dir+"/a.txt", "edited\n") },
		"a file":                  func(f *fixture, dir string) { f.write(dir+"/deep/new/in.txt", "new\n") },
		"a file that goes":        func(f *fixture, dir string) { f.remove(dir + "/made.txt") },
		"a mode":                  func(f *fixture, dir string) { f.must(os.Chmod(dir+"/a.txt", 0o755)) },
		"an ignored file":         func(f *fixture, dir string) { f.write(dir+"/deep/a.log", "log\n") },
		"an ignored directory":    func(f *fixture, dir string) { f.must(os.Mkdir(dir+"/deep/build", 0o755)) },
		"rules":                   func(f *fixture, dir string) { f.write(dir+"/deep/.gitignore", "") },
		"a repository":            func(f *fixture, dir string) { f.git(dir, "init", "-q", "deep/nested") },
		"a directory that leaves": func(f *fixture, dir string) { f.must(os.Rename(dir+"/deep/in", f.root+"/gone")) },
		"what was forced":         func(f *fixture, dir string) { f.write(dir+"/build/forced.o", "edited\n") },
		"the agent's index":       func(f *fixture, dir string) { f.git(dir, "rm", "-q", "--cached", "build/forced.o") },
		"a link in its place": func(f *fixture, dir string) {
			f.must(os.Rename(dir, f.root+"/moved"))
			f.must(os.Symlink(f.root+"/moved", dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, wt, _ := afterTurn(t)
			if !f.engine.Undisturbed(t.Context(), wt) {
				t.Fatal("it is disturbed before")
			}
			touch(f, string(wt.Dir))
			if f.engine.Undisturbed(t.Context(), wt) {
				t.Error("nobody noticed")
			}
		})
	}
}

// Through its other name a file is written without a word to any watch.
func TestAFileOfManyNamesHasItsWorktreeLookedThrough(t *testing.T) {
	f, wt, w := afterTurn(t)
	f.must(os.Link(string(wt.Dir)+"/a.txt", f.root+"/outside"))
	f.rest(w)
	if f.engine.Undisturbed(t.Context(), wt) {
		t.Error("it is taken for undisturbed")
	}
}

// A snapshot by another hand is none of which the watch knows all.
func TestAChainThatWentOnHasItsWorktreeLookedThrough(t *testing.T) {
	f, wt, _ := afterTurn(t)
	f.snapshot(wt)
	if f.engine.Undisturbed(t.Context(), wt) {
		t.Error("it is taken for undisturbed")
	}
}
