package worktree_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"boo/orchestrator"
)

func (f *fixture) base(rev string) orchestrator.Base {
	f.t.Helper()
	base, err := f.engine.Base(f.t.Context(), f.checkout(f.repo), orchestrator.BaseRequest{Rev: rev})
	if err != nil {
		f.t.Fatal(err)
	}
	return base
}

// at makes a worktree at a base.
func (f *fixture) at(base orchestrator.ObjectID) orchestrator.Worktree {
	f.t.Helper()
	wt := f.worktree()
	wt.Base, wt.Baseline = base, base
	if err := f.engine.Create(f.t.Context(), wt); err != nil {
		f.t.Fatal(err)
	}
	return wt
}

// untouched remembers everything of the person's that making a base could
// touch: each file of the checkout and its git directory, but for objects and
// boo's refs, by content, mode and times.
func (f *fixture) untouched() func() {
	f.t.Helper()
	look := func() map[string]string {
		seen := map[string]string{}
		err := filepath.WalkDir(f.repo, func(path string, d fs.DirEntry, err error) error {
			name, _ := filepath.Rel(f.repo, path)
			if name == ".git/objects" || name == ".git/refs/boo" {
				return fs.SkipDir
			}
			info, infoErr := d.Info()
			if err = errors.Join(err, infoErr); err != nil || d.IsDir() && (name == ".git" || name == ".git/refs" || name == ".git/worktrees") {
				return err
			}
			if strings.HasPrefix(name, ".git/worktrees/") || strings.HasPrefix(name, ".git/sharedindex.") {
				return nil // every git that reads a shared index stamps it, to say that it is in use
			}
			content := ""
			if d.Type().IsRegular() {
				raw, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				content = string(raw)
			}
			seen[name] = fmt.Sprintf("%v %v %q", info.Mode(), info.ModTime(), content)
			return nil
		})
		if err != nil {
			f.t.Fatal(err)
		}
		return seen
	}
	before := look()
	return func() {
		f.t.Helper()
		after := look()
		for name := range maps.Keys(before) {
			if after[name] != before[name] {
				f.t.Errorf("%s was %s, is %s", name, before[name], after[name])
			}
			delete(after, name)
		}
		for name := range after {
			f.t.Errorf("%s is new", name)
		}
	}
}

func TestDirtyBaseIsTheCheckoutAsItStands(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/.gitignore", "*.log\n")
	for _, name := range []string{"kept", "edited", "staged", "both", "deleted", "unstaged"} {
		f.write(f.repo+"/dir/"+name, name+"\n")
	}
	head := f.commit()
	f.write(f.repo+"/dir/edited", "edited by hand\n")
	f.write(f.repo+"/dir/staged", "staged\n")
	f.write(f.repo+"/dir/both", "staged first\n")
	f.write(f.repo+"/forced.log", "added by force\n")
	f.git(f.repo, "add", "-f", "dir/staged", "dir/both", "forced.log")
	f.write(f.repo+"/dir/both", "and then edited\n")
	f.git(f.repo, "rm", "-q", "--cached", "dir/unstaged")
	f.remove(f.repo + "/dir/deleted")
	f.write(f.repo+"/new/untracked", "new\n")
	f.write(f.repo+"/noise.log", "ignored\n")
	f.symlink("kept", f.repo+"/dir/link")
	f.write(f.repo+"/run.sh", "#!/bin/sh\n")
	f.chmod(f.repo+"/run.sh", 0o755)

	check := f.untouched()
	base := f.base("dirty")
	wt := f.at(base.Commit)
	check()
	for name, want := range map[string]string{
		"dir/kept": "kept\n", "dir/edited": "edited by hand\n", "dir/staged": "staged\n", "dir/both": "and then edited\n",
		"dir/unstaged": "unstaged\n", "new/untracked": "new\n", "forced.log": "added by force\n", "run.sh": "#!/bin/sh\n",
	} {
		if got, err := os.ReadFile(filepath.Join(string(wt.Dir), name)); string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"dir/deleted", "noise.log"} {
		if _, err := os.Lstat(filepath.Join(string(wt.Dir), name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
	if got := f.git(f.repo, "rev-parse", string(base.Commit)+"^"); got != string(head) {
		t.Errorf("its parent is %s", got)
	}
	if got := f.git(f.repo, "log", "-1", "--format=%an %cn", string(base.Commit)); got != "Ada boo" {
		t.Errorf("it is by %s", got)
	}
	if status := f.git(string(wt.Dir), "status", "--porcelain"); status != "" {
		t.Errorf("the worktree is not clean: %s", status)
	}
}

func TestDirtyBaseOfACleanCheckoutIsItsHead(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a", "a\n")
	head := f.commit()
	if base := f.base("dirty"); base.Commit != head {
		t.Errorf("base is %s, want %s", base.Commit, head)
	}
}

func TestDirtyBaseInUnusualCheckouts(t *testing.T) {
	for name, setup := range map[string]func(f *fixture) (want string){
		"sparse": func(f *fixture) string {
			f.write(f.repo+"/in/x", "x\n")
			f.write(f.repo+"/out/y", "y\n")
			f.commit()
			f.git(f.repo, "sparse-checkout", "set", "in")
			f.write(f.repo+"/in/x", "2\n")
			return "M\tin/x"
		},
		"split index": func(f *fixture) string {
			f.write(f.repo+"/x", "x\n")
			f.write(f.repo+"/out/y", "y\n")
			f.commit()
			f.git(f.repo, "update-index", "--split-index")
			f.git(f.repo, "sparse-checkout", "set", "--no-cone", "/x")
			f.write(f.repo+"/x", "2\n")
			return "M\tx"
		},
		"in the midst of a merge": func(f *fixture) string {
			f.write(f.repo+"/x", "x\n")
			f.commit()
			f.git(f.repo, "checkout", "-q", "-b", "other")
			f.write(f.repo+"/x", "theirs\n")
			f.commit()
			f.git(f.repo, "checkout", "-q", "main")
			f.write(f.repo+"/x", "ours\n")
			f.commit()
			if _, err := f.tryGit(f.repo, "merge", "other"); err == nil {
				f.t.Fatal("no conflict")
			}
			return "M\tx"
		},
		"without commits": func(f *fixture) string {
			f.write(f.repo+"/x", "x\n")
			return "A\tx"
		},
		"with a repository in it": func(f *fixture) string {
			f.commit()
			f.git(f.repo, "init", "-q", "nested")
			f.write(f.repo+"/nested/x", "x\n")
			f.write(f.repo+"/y", "y\n")
			return "A\ty"
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			want := setup(f)
			check := f.untouched()
			base := f.base("dirty")
			check()
			parent := f.git(f.repo, "rev-parse", string(base.Commit)+"^")
			if got := f.git(f.repo, "diff-tree", "-r", "--name-status", parent, string(base.Commit)); got != want {
				t.Errorf("it changes %q, want %q", got, want)
			}
			if name == "with a repository in it" && len(base.Skipped) != 1 {
				t.Errorf("left out: %v", base.Skipped)
			}
		})
	}
}

// TestMadeBaseOutlivesCollection collects garbage between making a base and
// making its worktree, and after.
func TestMadeBaseOutlivesCollection(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a", "a\n")
	f.commit()
	f.write(f.repo+"/a", "2\n")
	base := f.base("dirty")
	f.git(f.repo, "gc", "-q", "--prune=now")
	f.at(base.Commit)
	f.git(f.repo, "gc", "-q", "--prune=now")
	f.git(f.repo, "cat-file", "-e", string(base.Commit))
	if refs := f.git(f.repo, "for-each-ref", "refs/boo/bases"); refs != "" {
		t.Errorf("left: %s", refs)
	}
}

// remote gives the repository an origin that is ahead of it.
func (f *fixture) remote() (bare string, ahead orchestrator.ObjectID) {
	f.t.Helper()
	bare = f.root + "/origin.git"
	f.write(f.repo+"/a", "a\n")
	f.commit()
	f.git(f.root, "clone", "-q", "--bare", f.repo, bare)
	f.git(f.repo, "remote", "add", "origin", bare)
	f.git(f.repo, "fetch", "-q", "origin")
	other := f.root + "/other"
	f.git(f.root, "clone", "-q", bare, other)
	f.write(other+"/a", "ahead\n")
	f.git(other, "commit", "-q", "-a", "-m", "ahead")
	f.git(other, "tag", "new")
	f.git(other, "push", "-q", "origin", "main", "new", "HEAD:refs/pull/7/head", "HEAD:refs/merge-requests/9/head")
	return bare, orchestrator.ObjectID(f.git(other, "rev-parse", "HEAD"))
}

func TestBaseIsFetched(t *testing.T) {
	f := newFixture(t)
	_, ahead := f.remote()
	for _, rev := range []string{"fresh", "pr/7", "pr:7", "#7", "refs/pull/7/head", "pull/7/head", "mr/9", "!9", "refs/merge-requests/9/head", "merge-requests/9/head", "pr/9"} {
		check := f.untouched()
		base := f.base(rev)
		if base.Commit != ahead {
			t.Errorf("%s is %s, want %s", rev, base.Commit, ahead)
		}
		check()
		wt := f.at(base.Commit)
		if got, _ := os.ReadFile(string(wt.Dir) + "/a"); string(got) != "ahead\n" {
			t.Errorf("%s: holds %q", rev, got)
		}
	}
	f.git(f.repo, "branch", "fresh")
	if base := f.base("refs/heads/fresh"); base.Commit == ahead {
		t.Error("a branch of that name is not reached by its full name")
	}
}

func TestFetchThatFailsMakesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		rev   string
		setup func(f *fixture)
		code  orchestrator.Code
		says  string
	}{
		"no remote":       {"fresh", func(f *fixture) { f.commit() }, orchestrator.CodeNotFound, "no remote"},
		"no such request": {"pr/8", func(f *fixture) { f.remote() }, orchestrator.CodeNotFound, "no pull request 8"},
		"remote gone": {"fresh", func(f *fixture) {
			bare, _ := f.remote()
			f.remove(bare)
		}, orchestrator.CodeUnverified, "does not appear to be a git repository"},
		"several": {"fresh", func(f *fixture) {
			f.commit()
			f.git(f.repo, "remote", "add", "a", "/a")
			f.git(f.repo, "remote", "add", "b", "/b")
		}, orchestrator.CodeInvalid, "a, b"},
		"asks for a password": {"fresh", func(f *fixture) {
			f.commit()
			f.git(f.repo, "remote", "add", "origin", "ssh://host.invalid/x")
			f.write(f.root+"/ssh", "#!/bin/sh\n(exec </dev/tty) 2>/dev/null && echo can ask >&2\necho refused >&2\nexit 255\n")
			f.chmod(f.root+"/ssh", 0o755)
			f.git(f.repo, "config", "core.sshCommand", f.root+"/ssh")
		}, orchestrator.CodeUnverified, "Could not read from remote"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c.setup(f)
			check := f.untouched()
			_, err := f.engine.Base(t.Context(), f.checkout(f.repo), orchestrator.BaseRequest{Rev: c.rev})
			if orchestrator.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "can ask") {
				t.Errorf("error %v (%s)", err, orchestrator.CodeOf(err))
			}
			check()
			if refs := f.git(f.repo, "for-each-ref", "refs/boo"); refs != "" {
				t.Errorf("left: %s", refs)
			}
		})
	}
}

// TestFetchRunsNoHook fetches as the person, with their configuration, but
// with nothing of the repository's besides.
func TestFetchRunsNoHook(t *testing.T) {
	f := newFixture(t)
	f.remote()
	for _, hook := range []string{"reference-transaction", "post-merge", "post-checkout", "pre-auto-gc"} {
		f.write(f.repo+"/.git/hooks/"+hook, "#!/bin/sh\ntouch '"+f.root+"/sprung'\n")
		f.chmod(f.repo+"/.git/hooks/"+hook, 0o755)
	}
	f.base("fresh")
	if _, err := os.Lstat(f.root + "/sprung"); err == nil {
		t.Error("a hook ran")
	}
}

func TestFetchTakesTheEnvironmentOfTheRequest(t *testing.T) {
	seen := filepath.Join(t.TempDir(), "seen")
	f := newFixture(t, (&gitWrapper{script: `case " $* " in *" ls-remote "*) env > '` + seen + `';; esac
`}).install(t))
	f.remote()
	environ := append(f.environ(), "SSH_AUTH_SOCK=/agent", "GIT_DIR=/elsewhere", "GIT_TERMINAL_PROMPT=1")
	_, err := f.engine.Base(t.Context(), f.checkout(f.repo), orchestrator.BaseRequest{Rev: "fresh", Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(seen)
	for want, there := range map[string]bool{"SSH_AUTH_SOCK=/agent\n": true, "GIT_TERMINAL_PROMPT=0\n": true, "GIT_DIR=": false} {
		if strings.Contains(string(got), want) != there {
			t.Errorf("%q in the environment: %v, want %v", want, !there, there)
		}
	}
}

// TestFetchEndsWithItsContext takes a remote that never answers.
func TestFetchEndsWithItsContext(t *testing.T) {
	f := newFixture(t)
	f.commit()
	f.git(f.repo, "remote", "add", "origin", "ssh://host.invalid/x")
	asked := filepath.Join(f.root, "asked")
	if err := syscall.Mkfifo(asked, 0o600); err != nil {
		t.Fatal(err)
	}
	f.write(f.root+"/ssh", "#!/bin/sh\necho $$ > '"+asked+"'\nexec sleep 1000\n")
	f.chmod(f.root+"/ssh", 0o755)
	f.git(f.repo, "config", "core.sshCommand", f.root+"/ssh")
	c := f.checkout(f.repo)
	ctx, cancel := context.WithCancelCause(t.Context())
	var pid string
	var reader sync.WaitGroup
	reader.Go(func() {
		line, _ := os.ReadFile(asked)
		pid = strings.TrimSpace(string(line))
		cancel(errors.New("enough"))
	})
	_, err := f.engine.Base(ctx, c, orchestrator.BaseRequest{Rev: "fresh"})
	reader.Wait()
	if err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("error %v", err)
	}
	for { // it was told to go, and git waits for nobody
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
}
