package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestCheckoutIsFoundFromAnywhereInside(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/in/side/x", "x\n")
	withSubmodule(f)
	head := f.commit()
	f.git(f.repo, "worktree", "add", "-q", f.root+"/linked")
	sub := orchestrator.ObjectID(f.git(f.repo+"/sub", "rev-parse", "HEAD"))
	git := f.repo + "/.git"

	for _, c := range []struct {
		dir  string
		want orchestrator.Checkout
	}{
		{f.repo, orchestrator.Checkout{Dir: orchestrator.CheckoutDir(f.repo), GitDir: orchestrator.GitDir(git), CommonDir: orchestrator.GitDir(git), Head: head}},
		{f.repo + "/in/side", orchestrator.Checkout{Dir: orchestrator.CheckoutDir(f.repo), GitDir: orchestrator.GitDir(git), CommonDir: orchestrator.GitDir(git), Prefix: "in/side", Head: head}},
		{f.root + "/linked/in", orchestrator.Checkout{Dir: orchestrator.CheckoutDir(f.root + "/linked"), GitDir: orchestrator.GitDir(git + "/worktrees/linked"), CommonDir: orchestrator.GitDir(git), Prefix: "in", Head: head}},
		{f.repo + "/sub", orchestrator.Checkout{Dir: orchestrator.CheckoutDir(f.repo + "/sub"), GitDir: orchestrator.GitDir(git + "/modules/sub"), CommonDir: orchestrator.GitDir(git + "/modules/sub"), Head: sub}},
	} {
		if got := f.checkout(c.dir); got != c.want {
			t.Errorf("from %s:\n got %+v\nwant %+v", c.dir, got, c.want)
		}
	}
}

// What a configuration or a layout makes of a repository is git's to say: the
// answer is git's wherever it is not the plain one.
func TestCheckoutIsWhatGitSays(t *testing.T) {
	for name, change := range map[string]func(f *fixture){
		"plain":           func(*fixture) {},
		"detached":        func(f *fixture) { f.git(f.repo, "checkout", "-q", "--detach") },
		"packed refs":     func(f *fixture) { f.git(f.repo, "pack-refs", "--all") },
		"slash in branch": func(f *fixture) { f.git(f.repo, "checkout", "-q", "-b", "a/b") },
		"unborn branch":   func(f *fixture) { f.git(f.repo, "checkout", "-q", "--orphan", "new") },
		"symbolic branch": func(f *fixture) {
			f.git(f.repo, "symbolic-ref", "refs/heads/other", "refs/heads/main")
			f.git(f.repo, "symbolic-ref", "HEAD", "refs/heads/other")
		},
		"core.worktree": func(f *fixture) {
			f.mkdir(f.root + "/elsewhere/in/side")
			f.git(f.repo, "config", "core.worktree", f.root+"/elsewhere")
		},
		"included core.worktree": func(f *fixture) {
			f.write(f.repo+"/.git/more", "[core]\n\tworktree = "+f.root+"\n")
			f.git(f.repo, "config", "include.path", "more")
		},
		"one-line section": func(f *fixture) {
			f.write(f.repo+"/.git/config", "[core] worktree = "+f.root+"\n")
		},
		"continued line": func(f *fixture) {
			f.write(f.repo+"/.git/config", "[core]\nwork\\\ntree = "+f.root+"\n")
		},
		"worktree configuration": func(f *fixture) { f.git(f.repo, "config", "extensions.worktreeConfig", "true") },
		"bare":                   func(f *fixture) { f.git(f.repo, "config", "core.bare", "true") },
		"bare without a value":   func(f *fixture) { f.write(f.repo+"/.git/config", "[core]\nbare\n") },
		"nested":                 func(f *fixture) { f.git(f.repo+"/in", "init", "-q") },
		"damaged .git":           func(f *fixture) { f.write(f.repo+"/in/.git/HEAD", "ref: refs/heads/main\n") },
		"bare inside":            func(f *fixture) { f.git(f.repo, "init", "-q", "--bare", "in/side") },
		".git is a link": func(f *fixture) {
			f.git(f.repo, "init", "-q", "--separate-git-dir", f.root+"/moved")
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.write(f.repo+"/in/side/x", "x\n")
			f.commit()
			change(f)
			dir := f.repo + "/in/side"
			got, err := f.engine.Checkout(t.Context(), dir)
			asked, gitErr := f.engine.AskedCheckout(t.Context(), dir)
			if got != asked || orchestrator.CodeOf(err) != orchestrator.CodeOf(gitErr) {
				t.Errorf("it is %+v, %v\ngit says %+v, %v", got, err, asked, gitErr)
			}
		})
	}
}

func TestCheckoutExplainsWhereThereIsNone(t *testing.T) {
	f := newFixture(t)
	f.mkdir(f.root + "/outside")
	f.git(f.root, "init", "-q", "--bare", "bare.git")
	for _, c := range []struct {
		dir, hint string
		code      orchestrator.Code
	}{
		{f.root + "/outside", "cd into", orchestrator.CodeNotFound},
		{f.root + "/bare.git", "worktree add", orchestrator.CodeInvalid},
		{f.repo + "/.git", "cd into", orchestrator.CodeInvalid},
		{f.root + "/nowhere", "", orchestrator.CodeNotFound},
	} {
		_, err := f.engine.Checkout(t.Context(), c.dir)
		if orchestrator.CodeOf(err) != c.code || !strings.Contains(orchestrator.HintOf(err), c.hint) {
			t.Errorf("in %s: %v (%s), hint %q", c.dir, err, orchestrator.CodeOf(err), orchestrator.HintOf(err))
		}
	}
}

func TestCheckoutOfAnotherUsersRepositoryIsExplained(t *testing.T) {
	// What git writes then, as of 2.39: making a file of another user's needs
	// rights that a test may not have.
	f := newFixture(t, (&gitWrapper{script: `case " $* " in *" rev-parse "*)
echo "fatal: detected dubious ownership in repository at '/srv/the repo'" >&2; exit 128;; esac
`}).install(t))
	f.git(f.repo, "config", "include.path", "more") // else git is not asked
	_, err := f.engine.Checkout(t.Context(), f.repo)
	if hint := orchestrator.HintOf(err); orchestrator.CodeOf(err) != orchestrator.CodeDenied || !strings.HasSuffix(hint, "safe.directory '/srv/the repo'") {
		t.Errorf("%v, hint %q", err, hint)
	}
}

func TestGitThatIsNotInstalledIsNamed(t *testing.T) {
	f := newFixture(t)
	f.opts.Git = filepath.Join(f.root, "no-such-git")
	f.engine = mustNew(t, f.opts)
	if _, err := f.engine.Checkout(t.Context(), f.repo); !strings.Contains(orchestrator.HintOf(err), "install git") {
		t.Errorf("error %v, hint %q", err, orchestrator.HintOf(err))
	}
}

func TestBaseResolvesAsGitDoes(t *testing.T) {
	f := newFixture(t)
	first := f.commit()
	second := f.commit()
	f.git(f.repo, "tag", "-a", "-m", "t", "b5", string(first))
	c := f.checkout(f.repo)
	for rev, want := range map[string]orchestrator.ObjectID{
		"": second, "HEAD": second, "main": second, "HEAD~1": first, "b5": first, string(first[:12]): first, "main@{0}": second,
	} {
		if got, err := f.engine.Base(t.Context(), c, orchestrator.BaseRequest{Rev: rev}); err != nil || got.Commit != want {
			t.Errorf("%q is %v, %v; want %s", rev, got, err, want)
		}
	}
	for rev, want := range map[string]orchestrator.Code{
		"nope": orchestrator.CodeNotFound, "HEAD^{tree}": orchestrator.CodeNotFound, "--all": orchestrator.CodeInvalid,
		"a\x00b": orchestrator.CodeInvalid, strings.Repeat("0", 40): orchestrator.CodeNotFound,
	} {
		if got, err := f.engine.Base(t.Context(), c, orchestrator.BaseRequest{Rev: rev}); orchestrator.CodeOf(err) != want {
			t.Errorf("%q is %v, %v", rev, got, err)
		}
	}
}

func TestRepositoryWithoutCommits(t *testing.T) {
	f := newFixture(t)
	c := f.checkout(f.repo)
	if c.Head != "" {
		t.Errorf("HEAD is %s", c.Head)
	}
	wt := f.create()
	if again, err := f.engine.Base(t.Context(), c, orchestrator.BaseRequest{}); err != nil || again.Commit != wt.Base {
		t.Errorf("the empty root is %v and then %v, %v", wt.Base, again, err)
	}
	f.git(f.repo, "gc", "-q", "--prune=now")
	f.write(string(wt.Dir)+"/first", "1\n")
	f.snapshot(wt)
	if branches := f.git(f.repo, "branch", "-a", "--format=%(refname)"); strings.Contains(branches, "refs/heads") {
		t.Errorf("the person has branches now: %s", branches)
	}
}

func TestPersonIsWhoGitSaysOrTheUserAtTheHost(t *testing.T) {
	f := newFixture(t)
	got := f.engine.Person(t.Context(), orchestrator.GitDir(f.repo+"/.git"))
	if got.Name != "Ada" || got.Email != "ada@example.org" || got.When.IsZero() {
		t.Errorf("person is %+v", got)
	}
	f.git(f.repo, "config", "user.name", "Ada L")
	if got := f.engine.Person(t.Context(), orchestrator.GitDir(f.repo+"/.git")); got.Name != "Ada L" {
		t.Errorf("the repository's own name is not used: %+v", got)
	}
	f.git(f.repo, "config", "--unset", "user.name")
	f.write(f.root+"/home/.gitconfig", "[user]\n\tuseConfigOnly = true\n")
	host, _ := os.Hostname()
	if got := f.engine.Person(t.Context(), orchestrator.GitDir(f.repo+"/.git")); got.Name != "ada" || got.Email != "ada@"+host {
		t.Errorf("without any configuration: %+v", got)
	}
}
