package worktree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"boo/orchestrator"
	"boo/worktree"
)

func TestCreateMakesALockedDetachedWorktree(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	base := f.commit()
	wt := f.create()
	dir := string(wt.Dir)

	list := f.git(f.repo, "worktree", "list", "--porcelain")
	for _, want := range []string{"worktree " + dir + "\n", "HEAD " + string(base) + "\ndetached\n", "locked boo chat " + string(wt.Chat)} {
		if !strings.Contains(list, want) {
			t.Errorf("worktree list lacks %q:\n%s", want, list)
		}
	}
	if status := f.git(dir, "status", "--porcelain"); status != "" {
		t.Errorf("not clean: %s", status)
	}
	for _, name := range []string{"base", "baseline"} {
		if got := f.git(f.repo, "rev-parse", "refs/boo/chats/"+string(wt.Chat)+"/"+name); got != string(base) {
			t.Errorf("%s is %s, want %s", name, got, base)
		}
	}
	if info, err := os.Stat(filepath.Dir(dir)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory above has mode %v, %v", info.Mode(), err)
	}
	if err := f.engine.Verify(t.Context(), wt); err != nil {
		t.Error(err)
	}
	if head := f.git(f.repo, "status", "--porcelain", "-b"); head != "## main" {
		t.Errorf("the person's checkout changed: %s", head)
	}
}

// repositoryKinds are repositories that differ in how they keep objects, refs
// or files; a check replaces nothing but adds to what every kind must pass.
var repositoryKinds = []struct {
	name  string
	setup func(f *fixture)
	check func(f *fixture, dir string)
}{
	{"sha256", func(f *fixture) {
		f.remove(f.repo)
		f.mkdir(f.repo)
		f.git(f.repo, "init", "-q", "--object-format=sha256")
	}, nil},
	{"core.worktree", func(f *fixture) {
		f.git(f.repo, "config", "core.worktree", f.repo)
	}, nil},
	{"sparse checkout", func(f *fixture) {
		f.write(f.repo+"/in/x", "x\n")
		f.write(f.repo+"/out/y", "y\n")
		f.commit()
		f.git(f.repo, "sparse-checkout", "set", "in")
	}, nil},
	{"alternates", func(f *fixture) {
		f.write(f.repo+"/x", "x\n")
		f.commit()
		f.git(f.root, "clone", "-q", "--shared", f.repo, "borrower")
		f.repo = f.root + "/borrower"
	}, nil},
	{"shallow", func(f *fixture) {
		f.write(f.repo+"/x", "x\n")
		f.commit()
		f.write(f.repo+"/x", "2\n")
		f.commit()
		f.git(f.root, "clone", "-q", "--depth=1", "file://"+f.repo, "shallow")
		f.repo = f.root + "/shallow"
	}, nil},
	{"odd directory names", func(f *fixture) {
		odd := f.root + "/od d\n\"quo'te\" \xff"
		rename(f, f.repo, odd)
		f.repo = odd
	}, nil},
	{"split index", func(f *fixture) {
		f.git(f.repo, "config", "core.splitIndex", "true")
	}, nil},
	{"shared by a group", func(f *fixture) {
		f.remove(f.repo)
		f.mkdir(f.repo)
		f.git(f.repo, "init", "-q", "--shared=group")
	}, func(f *fixture, dir string) {
		f.write(dir+"/grouped", "g\n")
		_, err := f.engine.Commit(f.t.Context(), orchestrator.GitDir(f.repo+"/.git"),
			orchestrator.ObjectID(f.git(f.repo, "rev-parse", "HEAD^{tree}")), nil, "for the group\n")
		if err != nil {
			f.t.Fatal(err)
		}
		fans, _ := filepath.Glob(f.repo + "/.git/objects/??")
		for _, fan := range fans {
			if info, err := os.Stat(fan); err != nil || info.Mode()&0o20 == 0 {
				f.t.Errorf("the group cannot write %s: %v", fan, info.Mode())
			}
		}
		f.remove(dir + "/grouped")
	}},
	{"crlf", func(f *fixture) {
		f.git(f.repo, "config", "core.autocrlf", "true")
	}, func(f *fixture, dir string) {
		if got, _ := os.ReadFile(dir + "/text"); string(got) != "a\r\nb\r\n" {
			f.t.Errorf("checked out %q", got)
		}
	}},
}

func TestCreateInRepositoriesOfEveryKind(t *testing.T) {
	for _, c := range repositoryKinds {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c.setup(f)
			f.write(f.repo+"/text", "a\nb\n")
			if c.name == "crlf" {
				f.write(f.repo+"/text", "a\r\nb\r\n")
			}
			f.symlink("text", f.repo+"/link")
			f.commit()
			wt := f.create()
			if status := f.git(string(wt.Dir), "status", "--porcelain"); status != "" {
				t.Errorf("not clean: %s", status)
			}
			if c.check != nil {
				c.check(f, string(wt.Dir))
			}
			f.write(string(wt.Dir)+"/new", "n\n")
			if snap := f.snapshot(wt); len(snap.Skipped) > 0 {
				t.Errorf("skipped %v", snap.Skipped)
			} else if got := f.git(f.repo, "diff-tree", "-r", "--name-status", string(wt.Base), string(snap.Commit)); got != "A\tnew" {
				t.Errorf("snapshot differs in %q", got)
			}
		})
	}
}

func TestCreateOfThousandsOfFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 3_000 {
		f.write(fmt.Sprintf("%s/d%d/f%d", f.repo, i/1000, i), strconv.Itoa(i)+"\n")
	}
	f.commit()
	wt := f.create()
	f.write(string(wt.Dir)+"/d2/f2300", "changed\n")
	snap := f.snapshot(wt)
	changes, err := f.engine.Diff(t.Context(), wt.CommonDir, wt.Base, snap.Commit)
	if err != nil || len(changes) != 1 || changes[0].Path != "d2/f2300" {
		t.Errorf("changes %v, %v", changes, err)
	}
}

func TestCreateClearsABrokenAttemptOfTheSameChat(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	f.write(filepath.Join(string(wt.CommonDir), "worktrees", string(wt.Chat), "locked"), "initializing")
	f.write(string(wt.Dir)+"/half", "made")
	if err := f.engine.Create(t.Context(), wt); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(string(wt.Dir) + "/half"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the earlier attempt is still there: %v", err)
	}
}

func TestCreateKeepsItsHandsOffWhatIsNotALeftover(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	t.Run("a stranger's directory", func(t *testing.T) {
		wt := f.worktree()
		f.write(string(wt.Dir)+"/mine", "mine\n")
		if err := f.engine.Create(t.Context(), wt); orchestrator.CodeOf(err) != orchestrator.CodeConflict {
			t.Errorf("error %v", err)
		}
		if _, err := os.Stat(string(wt.Dir) + "/mine"); err != nil {
			t.Error(err)
		}
	})
	t.Run("a chat with snapshots", func(t *testing.T) {
		wt := f.create()
		f.write(string(wt.Dir)+"/work", "work\n")
		f.snapshot(wt)
		if err := f.engine.Create(t.Context(), wt); orchestrator.CodeOf(err) != orchestrator.CodeAtRisk {
			t.Errorf("error %v", err)
		}
		if _, err := os.Stat(string(wt.Dir) + "/work"); err != nil {
			t.Error(err)
		}
	})
}

// nothingLeft checks that no trace of a worktree is there.
func (f *fixture) nothingLeft(wt orchestrator.Worktree) {
	f.t.Helper()
	if _, err := os.Lstat(string(wt.Dir)); !errors.Is(err, os.ErrNotExist) {
		f.t.Errorf("the directory is left: %v", err)
	}
	if list := f.git(f.repo, "worktree", "list"); strings.Contains(list, string(wt.Chat)) {
		f.t.Errorf("the registration is left: %s", list)
	}
	if refs := f.git(f.repo, "for-each-ref", "refs/boo/chats"); refs != "" {
		f.t.Errorf("refs are left: %s", refs)
	}
	if chats, _ := os.ReadDir(filepath.Join(f.opts.Dir, "chats")); len(chats) > 0 {
		f.t.Errorf("private files are left: %v", chats)
	}
}

// TestCreateLeavesNothingWhenGitIsKilled ends the n-th git of a Create, for
// every n until there is no n-th: at once, or in the midst of the checkout.
func TestCreateLeavesNothingWhenGitIsKilled(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		wrapper := &gitWrapper{script: `
n=$(cat "$COUNT" 2>/dev/null || echo 0); n=$((n+1)); echo $n > "$COUNT"
if [ $n = "$VICTIM" ]; then
	for arg; do case "$arg" in --work-tree=*) tree=${arg#--work-tree=};; esac; done
	"$GIT" "$@" & pid=$!
	while [ -n "$tree" ] && kill -0 $pid 2>/dev/null && [ ! -e "$tree/f77" ]; do :; done
	kill -9 $pid; wait $pid; kill -9 $$
fi
`}
		f := newFixture(t, wrapper.install(t, fmt.Sprintf("VICTIM=%d", n)))
		for i := range 400 {
			f.write(fmt.Sprintf("%s/f%d", f.repo, i), strings.Repeat("x", 10_000))
		}
		f.commit()
		f.git(f.repo, "config", "core.autocrlf", "true") // so that git writes the files
		wt := f.worktreeByPlainGit()
		err := f.engine.Create(t.Context(), wt)
		if err == nil {
			if n < 3 {
				t.Fatalf("Create ran only %d gits", n-1)
			}
			return
		}
		f.nothingLeft(wt)
	}
}

func TestCreateLeavesNothingWhenCancelled(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.worktree()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if err := f.engine.Create(ctx, wt); err == nil {
		t.Fatal("no error")
	}
	f.nothingLeft(wt)
}

// TestCreateAfterBooDied makes what each step of a Create that was cut off
// could have left, and creates again.
func TestCreateAfterBooDied(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	for _, cut := range []string{"HEAD", "gitdir", "commondir", "locked", "index", ".git", "directory", "private"} {
		wt := f.create()
		admin := filepath.Join(string(wt.CommonDir), "worktrees", string(wt.Chat))
		switch cut {
		case ".git":
			f.remove(string(wt.Dir) + "/.git")
		case "directory":
			f.remove(string(wt.Dir))
		case "private":
			f.remove(filepath.Join(f.opts.Dir, "chats", string(wt.Chat)))
		default:
			f.remove(filepath.Join(admin, cut))
		}
		if err := f.engine.Create(t.Context(), wt); err != nil {
			t.Errorf("without %s: %v", cut, err)
		} else if err := f.engine.Verify(t.Context(), wt); err != nil {
			t.Errorf("without %s: %v", cut, err)
		}
	}
}

// TestFullDisk uses a real one: a small file system where the test may mount
// one, and otherwise git's own words for it.
func TestFullDisk(t *testing.T) {
	full := t.TempDir()
	wrapper := &gitWrapper{}
	if err := syscall.Mount("tmpfs", full, "tmpfs", 0, "size=256k"); err == nil {
		t.Cleanup(func() { syscall.Unmount(full, syscall.MNT_DETACH) })
	} else {
		wrapper.script = `case " $* " in *" read-tree "*) echo 'fatal: write error: No space left on device' >&2; exit 128;; esac
`
	}
	f := newFixture(t, wrapper.install(t))
	for i := range 30 {
		f.write(fmt.Sprintf("%s/f%d", f.repo, i), strings.Repeat(strconv.Itoa(i), 20_000))
	}
	f.commit()
	wt := f.worktree()
	wt.Dir = orchestrator.WorktreeDir(filepath.Join(full, "worktree"))
	err := f.engine.Create(t.Context(), wt)
	if orchestrator.CodeOf(err) != orchestrator.CodeFull {
		t.Errorf("error %v has code %s", err, orchestrator.CodeOf(err))
	}
	if _, ok := errors.AsType[*worktree.GitError](err); !ok {
		t.Errorf("git's own error is not in the chain of %v", err)
	}
	f.nothingLeft(wt)
}
