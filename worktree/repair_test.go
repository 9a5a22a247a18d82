package worktree_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

func admin(wt orchestrator.Worktree, name string) string {
	return string(wt.CommonDir) + "/worktrees/" + string(wt.Chat) + "/" + name
}

// harms are what can happen to a worktree, and what Repair says of it.
var harms = []struct {
	name  string
	harm  func(f *fixture, wt orchestrator.Worktree)
	words string
}{
	{"nothing", func(*fixture, orchestrator.Worktree) {}, ""},
	{"deleted", func(f *fixture, wt orchestrator.Worktree) { f.remove(string(wt.Dir)) }, "was gone; its files are those of the newest snapshot"},
	{"emptied", func(f *fixture, wt orchestrator.Worktree) {
		f.remove(string(wt.Dir))
		f.mkdir(string(wt.Dir))
	}, "was gone"},
	{"deleted and pruned", func(f *fixture, wt orchestrator.Worktree) {
		f.remove(string(wt.Dir))
		f.git(f.repo, "worktree", "unlock", string(wt.Dir))
		f.git(f.repo, "worktree", "prune")
	}, "was gone"},
	{"removed by git", func(f *fixture, wt orchestrator.Worktree) {
		f.git(f.repo, "worktree", "remove", "--force", "--force", string(wt.Dir))
	}, "was gone"},
	{"moved by git", func(f *fixture, wt orchestrator.Worktree) {
		f.git(f.repo, "worktree", "move", "--force", "--force", string(wt.Dir), f.root+"/moved away")
	}, "it is back at"},
	{"moved by hand, and told git so", func(f *fixture, wt orchestrator.Worktree) {
		rename(f, string(wt.Dir), f.root+"/moved")
		f.git(f.root+"/moved", "worktree", "repair")
	}, "it is back at"},
	{"moved by hand", func(f *fixture, wt orchestrator.Worktree) { rename(f, string(wt.Dir), f.root+"/moved") }, "it is back at"},
	{"copied by hand, twice", func(f *fixture, wt orchestrator.Worktree) {
		for _, to := range []string{"/one", "/two"} {
			if err := os.CopyFS(f.root+to, os.DirFS(string(wt.Dir))); err != nil {
				f.t.Fatal(err)
			}
		}
		f.remove(string(wt.Dir))
	}, "was gone"},
	{"gone, and another one says to be it", func(f *fixture, wt orchestrator.Worktree) {
		other := f.create()
		f.write(string(other.Dir)+"/.git", "gitdir: "+strings.TrimSuffix(admin(wt, ""), "/")+"\n")
		f.remove(string(wt.Dir))
	}, "was gone"},
	{".git gone", func(f *fixture, wt orchestrator.Worktree) { f.remove(string(wt.Dir) + "/.git") }, "its .git file was gone"},
	{".git garbage", func(f *fixture, wt orchestrator.Worktree) { f.write(string(wt.Dir)+"/.git", "x\n") }, "its .git file was damaged"},
	{".git to elsewhere", func(f *fixture, wt orchestrator.Worktree) {
		f.write(string(wt.Dir)+"/.git", "gitdir: /elsewhere\n")
	}, `its .git file led to "/elsewhere"`},
	{".git a symlink", func(f *fixture, wt orchestrator.Worktree) { f.symlink("/etc/passwd", string(wt.Dir)+"/.git") }, "was not a file any more"},
	{".git a repository", func(f *fixture, wt orchestrator.Worktree) {
		f.remove(string(wt.Dir) + "/.git")
		f.git(string(wt.Dir), "init", "-q")
	}, "what stood there is at"},
	{"registration gone", func(f *fixture, wt orchestrator.Worktree) { f.remove(admin(wt, "")) }, "did not know it any more"},
	{"half a registration", func(f *fixture, wt orchestrator.Worktree) {
		f.write(admin(wt, "locked"), "initializing\n")
		f.remove(admin(wt, "HEAD"))
		f.write(admin(wt, "commondir"), "/elsewhere\n")
	}, "its registration was damaged (locked, commondir, HEAD)"},
	{"unlocked", func(f *fixture, wt orchestrator.Worktree) { f.git(f.repo, "worktree", "unlock", string(wt.Dir)) }, "damaged (locked)"},
	{"index locked by a git that died", func(f *fixture, wt orchestrator.Worktree) {
		f.write(admin(wt, "index.lock"), "")
		old := time.Now().Add(-time.Hour)
		_ = os.Chtimes(admin(wt, "index.lock"), old, old)
	}, "the lock is removed"},
}

func TestRepairMendsWhatCanHappenToAWorktree(t *testing.T) {
	for _, c := range harms {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			wt := worked(f)
			snap := f.snapshot(wt)
			c.harm(f, wt)
			done, err := f.engine.Repair(t.Context(), wt)
			if err != nil {
				t.Fatal(err)
			}
			if said := strings.Join(done, "; "); c.words == "" && said != "" || !strings.Contains(said, c.words) {
				t.Errorf("said %q", said)
			}
			if err := f.engine.Verify(t.Context(), wt); err != nil {
				t.Error(err)
			}
			if again := f.snapshot(wt); strings.Contains(c.name, "registration gone") {
				// That a file was added by force stood in the index alone.
			} else if again.Tree != snap.Tree {
				t.Errorf("the tree is another one:\n%s\nwas:\n%s", f.listing(f.repo, again.Tree), f.listing(f.repo, snap.Tree))
			}
			f.git(string(wt.Dir), "status", "--porcelain")
			if list := f.git(f.repo, "worktree", "list", "--porcelain"); !strings.Contains(list, "locked boo chat "+string(wt.Chat)) {
				t.Errorf("not registered and locked:\n%s", list)
			}
			if again, err := f.engine.Repair(t.Context(), wt); err != nil || len(again) > 0 {
				t.Errorf("a second repair: %v, %v", again, err)
			}
		})
	}
}

func TestRepairLeavesAloneWhatIsNotTheWorktree(t *testing.T) {
	for name, harm := range map[string]func(f *fixture, wt orchestrator.Worktree){
		"a file":    func(f *fixture, wt orchestrator.Worktree) { f.write(string(wt.Dir), "theirs\n") },
		"a symlink": func(f *fixture, wt orchestrator.Worktree) { f.symlink(f.repo, string(wt.Dir)) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			wt := worked(f)
			f.remove(string(wt.Dir))
			harm(f, wt)
			_, err := f.engine.Repair(t.Context(), wt)
			if orchestrator.CodeOf(err) != orchestrator.CodeConflict || !strings.Contains(orchestrator.HintOf(err), "mv ") {
				t.Errorf("error %v, hint %q", err, orchestrator.HintOf(err))
			}
		})
	}
}

func TestAWorktreeIsNotMovedToAnotherRepository(t *testing.T) {
	f := newFixture(t)
	wt := worked(f)
	f.remove(f.repo + "/.git")
	f.git(f.repo, "init", "-q")
	f.write(f.repo+"/other.txt", "another\n")
	f.commit()
	done, err := f.engine.Repair(t.Context(), wt)
	if orchestrator.CodeOf(err) != orchestrator.CodeNotFound || !strings.Contains(err.Error(), "is not the repository") || len(done) > 0 {
		t.Errorf("%q, %v", done, err)
	}
	if known, err := os.ReadDir(f.repo + "/.git/worktrees"); err == nil {
		t.Errorf("it was told of %v", known)
	}
}

func TestOdditiesAreToldOnce(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	f.git(f.repo, "branch", "other")
	wt := f.create()
	dir := string(wt.Dir)
	if odd := f.engine.Oddities(t.Context(), wt); len(odd) > 0 {
		t.Errorf("of a new worktree: %v", odd)
	}
	f.git(dir, "checkout", "-q", "-b", "mine")
	f.write(dir+"/a.txt", "mine\n")
	f.git(dir, "commit", "-qam", "mine")
	f.git(dir, "checkout", "-q", "other")
	f.write(dir+"/a.txt", "other\n")
	f.git(dir, "commit", "-qam", "other")
	if _, err := f.tryGit(dir, "rebase", "mine"); err == nil {
		t.Fatal("the rebase went through")
	}
	for _, c := range []struct {
		change func()
		words  []string
	}{
		{func() {}, []string{"a rebase is half done"}},
		{func() {}, nil},
		{func() { f.git(dir, "rebase", "--abort") }, []string{`on branch "other"`}},
		{func() { f.git(dir, "sparse-checkout", "set", "--no-cone", "/x") }, []string{"limited by git sparse-checkout"}},
		{func() { f.git(dir, "sparse-checkout", "disable") }, nil},
		{func() { f.write(dir+"/.git", "gitdir: /elsewhere\n") }, []string{".git was replaced"}},
	} {
		c.change()
		f.snapshot(wt)
		odd := f.engine.Oddities(t.Context(), wt)
		if len(odd) != len(c.words) || len(odd) > 0 && !strings.Contains(odd[0], c.words[0]) {
			t.Errorf("told %q, want %q", odd, c.words)
		}
	}
}

func TestARebaseHalfDoneLosesNoCommit(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	dir := string(wt.Dir)
	f.write(dir+"/a.txt", "upstream\n")
	f.git(dir, "commit", "-qam", "upstream")
	upstream := f.git(dir, "rev-parse", "HEAD")
	f.git(dir, "checkout", "-q", "--detach", string(wt.Base))
	f.write(dir+"/a.txt", "mine\n")
	f.git(dir, "commit", "-qam", "mine")
	mine := f.git(dir, "rev-parse", "HEAD")
	if _, err := f.tryGit(dir, "rebase", upstream); err == nil {
		t.Fatal("the rebase went through")
	}
	f.snapshot(wt)
	f.remove(admin(wt, ""))
	f.git(f.repo, "gc", "-q", "--prune=now")
	f.git(f.repo, "cat-file", "-e", mine)
}
