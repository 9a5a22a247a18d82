package worktree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree"
)

func withRoom(o *worktree.Options) { o.MinFree = 1 }

// spareFixture is a repository with some files, and a spare of it.
func spareFixture(t *testing.T, change ...func(*worktree.Options)) (*fixture, orchestrator.Worktree) {
	f := newFixture(t, append(change, withRoom)...)
	for i := range 50 {
		f.write(fmt.Sprintf("%s/d%d/f%d", f.repo, i%5, i), fmt.Sprint(i, "\n"))
	}
	f.commit()
	wt := f.worktree()
	f.spare(wt)
	return f, wt
}

func (f *fixture) spare(wt orchestrator.Worktree) {
	f.t.Helper()
	if err := f.engine.Spare(f.t.Context(), wt); err != nil {
		f.t.Fatal(err)
	}
}

// identity tells whether a directory is still the one it was.
func (f *fixture) identity(dir orchestrator.WorktreeDir) os.FileInfo {
	f.t.Helper()
	info, err := os.Lstat(string(dir))
	if err != nil {
		f.t.Fatal(err)
	}
	return info
}

// claim creates the worktree, checks that it is as good as any, and reports
// whether the spare was taken for it.
func (f *fixture) claim(wt orchestrator.Worktree) (taken bool) {
	f.t.Helper()
	var was os.FileInfo
	// While it is open nothing else gets its inode.
	if held, err := os.Open(filepath.Join(string(wt.Dir), "d0")); err == nil {
		defer held.Close()
		was, _ = held.Stat()
	}
	if err := f.engine.Create(f.t.Context(), wt); err != nil {
		f.t.Fatal(err)
	}
	if err := f.engine.Verify(f.t.Context(), wt); err != nil {
		f.t.Error(err)
	}
	list := f.git(f.repo, "worktree", "list", "--porcelain")
	for _, want := range []string{"worktree " + string(wt.Dir) + "\n", "HEAD " + string(wt.Base) + "\ndetached\n", "locked boo chat " + string(wt.Chat)} {
		if !strings.Contains(list, want) {
			f.t.Errorf("worktree list lacks %q:\n%s", want, list)
		}
	}
	for _, name := range []string{"base", "baseline"} {
		if got := f.git(f.repo, "rev-parse", "refs/boo/chats/"+string(wt.Chat)+"/"+name); got != string(wt.Base) {
			f.t.Errorf("%s is %s, want %s", name, got, wt.Base)
		}
	}
	if status := f.git(string(wt.Dir), "status", "--porcelain", "--ignored"); status != "" {
		f.t.Errorf("not clean: %s", status)
	}
	if snap := f.snapshot(wt); string(snap.Tree) != f.git(f.repo, "rev-parse", string(wt.Base)+"^{tree}") {
		f.t.Errorf("the snapshot is %s", snap.Tree)
	}
	now, err := os.Lstat(filepath.Join(string(wt.Dir), "d0"))
	return err == nil && was != nil && os.SameFile(was, now)
}

func TestASpareBecomesTheWorktreeOfItsChat(t *testing.T) {
	t.Parallel()
	f, wt := spareFixture(t)
	if list := f.git(f.repo, "worktree", "list", "--porcelain"); !strings.Contains(list, "locked boo spare "+string(wt.Chat)) {
		t.Errorf("a spare is listed as\n%s", list)
	}
	if !f.claim(wt) {
		t.Error("the spare was not used")
	}
	if err := f.engine.Create(t.Context(), wt); orchestrator.CodeOf(err) != orchestrator.CodeAtRisk {
		t.Errorf("created over work: %v", err)
	}
	if err := f.engine.Discard(t.Context(), wt); orchestrator.CodeOf(err) != orchestrator.CodeAtRisk {
		t.Errorf("a chat's worktree discarded as a spare: %v", err)
	}
}

func TestClaimingASpareStartsNoProcess(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "gits")
	wrapper := &gitWrapper{script: "echo \"$@\" >> " + trace + "\n"}
	f, wt := spareFixture(t, wrapper.install(t))
	f.remove(trace)
	if err := f.engine.Create(t.Context(), wt); err != nil {
		t.Fatal(err)
	}
	if gits, err := os.ReadFile(trace); err == nil {
		t.Errorf("git was run:\n%s", gits)
	}
}

// touches are what can happen to a spare before it is claimed.
var touches = map[string]func(f *fixture, wt orchestrator.Worktree){
	"a file at the top": func(f *fixture, wt orchestrator.Worktree) { f.write(string(wt.Dir)+"/new", "n\n") },
	"a file below":      func(f *fixture, wt orchestrator.Worktree) { f.write(string(wt.Dir)+"/d1/new", "n\n") },
	"an edit":           func(f *fixture, wt orchestrator.Worktree) { f.write(string(wt.Dir)+"/d2/f2", "other\n") },
	"a deletion":        func(f *fixture, wt orchestrator.Worktree) { f.remove(string(wt.Dir) + "/d3/f3") },
	"a mode":            func(f *fixture, wt orchestrator.Worktree) { f.chmod(string(wt.Dir)+"/d3/f3", 0o755) },
	"a commit": func(f *fixture, wt orchestrator.Worktree) {
		f.git(string(wt.Dir), "commit", "-q", "--allow-empty", "-m", "x")
	},
	"a branch":      func(f *fixture, wt orchestrator.Worktree) { f.git(string(wt.Dir), "switch", "-q", "-c", "x") },
	"its .git file": func(f *fixture, wt orchestrator.Worktree) { f.write(string(wt.Dir)+"/.git", "gitdir: /elsewhere\n") },
	"its directory": func(f *fixture, wt orchestrator.Worktree) { f.remove(string(wt.Dir)) },
	"a copy in place": func(f *fixture, wt orchestrator.Worktree) {
		rename(f, string(wt.Dir), string(wt.Dir)+".was")
		if err := os.CopyFS(string(wt.Dir), os.DirFS(string(wt.Dir)+".was")); err != nil {
			f.t.Fatal(err)
		}
	},
	"its registration": func(f *fixture, wt orchestrator.Worktree) {
		f.git(f.repo, "worktree", "remove", "-f", "-f", string(wt.Dir))
	},
	"its refs": func(f *fixture, wt orchestrator.Worktree) {
		f.git(f.repo, "update-ref", "-d", "refs/boo/chats/"+string(wt.Chat)+"/base")
	},
	"private files": func(f *fixture, wt orchestrator.Worktree) {
		f.remove(filepath.Join(f.opts.Dir, "chats", string(wt.Chat)))
	},
	"a private index": func(f *fixture, wt orchestrator.Worktree) {
		f.write(filepath.Join(f.opts.Dir, "chats", string(wt.Chat), "index"), "x")
	},
	"half a proof": func(f *fixture, wt orchestrator.Worktree) {
		f.write(filepath.Join(f.opts.Dir, "chats", string(wt.Chat), "spare"), `{"Base":`)
	},
	"line ends": func(f *fixture, _ orchestrator.Worktree) { f.git(f.repo, "config", "core.autocrlf", "true") },
}

func TestASpareThatWasTouchedIsMadeAnew(t *testing.T) {
	for name, touch := range touches {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, wt := spareFixture(t)
			touch(f, wt)
			if f.claim(wt) {
				t.Error("the spare was used")
			}
		})
	}
}

func TestSettingsThatMeanTheSameDoNotSpoilASpare(t *testing.T) {
	t.Parallel()
	f, wt := spareFixture(t)
	f.git(f.repo, "config", "branch.main.remote", "origin")
	if !f.claim(wt) {
		t.Error("the spare was not used")
	}
}

func TestASpareFollowsItsBase(t *testing.T) {
	t.Parallel()
	later := func(f *fixture, wt orchestrator.Worktree) orchestrator.Worktree {
		f.write(f.repo+"/d1/f1", "changed\n")
		f.write(f.repo+"/new/file", "new\n")
		f.remove(f.repo + "/d2/f2")
		wt.Base = f.commit()
		wt.Baseline = wt.Base
		return wt
	}
	t.Run("before it is claimed", func(t *testing.T) {
		f, wt := spareFixture(t)
		was := f.identity(wt.Dir)
		wt = later(f, wt)
		f.spare(wt)
		if !os.SameFile(was, f.identity(wt.Dir)) || !f.claim(wt) {
			t.Error("the spare was not used")
		}
	})
	t.Run("when it is claimed", func(t *testing.T) {
		f, wt := spareFixture(t)
		if !f.claim(later(f, wt)) {
			t.Error("the spare was not used")
		}
	})
	t.Run("not where attributes changed", func(t *testing.T) {
		f, wt := spareFixture(t)
		f.write(f.repo+"/.gitattributes", "* text eol=crlf\n")
		wt = later(f, wt)
		if f.claim(wt) {
			t.Error("the spare was used")
		}
	})
}

func TestSparesAreBounded(t *testing.T) {
	t.Parallel()
	for name, bound := range map[string]func(*worktree.Options){
		"by their size": func(o *worktree.Options) { o.MaxSpare = 10 },
		"by the disk":   func(o *worktree.Options) { o.MinFree = 1 << 60 },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, withRoom, bound)
			f.write(f.repo+"/a", "more than ten bytes\n")
			f.commit()
			wt := f.worktree()
			if err := f.engine.Spare(t.Context(), wt); orchestrator.CodeOf(err) != orchestrator.CodeFull {
				t.Errorf("error %v", err)
			}
			f.nothingLeft(wt)
		})
	}
}

func TestADiscardedSpareLeavesNothing(t *testing.T) {
	t.Parallel()
	f, wt := spareFixture(t)
	if err := f.engine.Discard(t.Context(), wt); err != nil {
		t.Fatal(err)
	}
	f.nothingLeft(wt)
	wt = f.worktree()
	f.spare(wt)
	rename(f, f.repo, f.repo+".moved")
	if err := f.engine.Discard(t.Context(), wt); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(string(wt.Dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without its repository the directory is left: %v", err)
	}
}

// TestASpareThatWasCutOffIsMadeAnew ends the n-th git of making one, and of
// following the base, and cancels it there.
func TestASpareThatWasCutOffIsMadeAnew(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		at := filepath.Join(t.TempDir(), "reached")
		wrapper := &gitWrapper{script: `
n=$(cat "$COUNT" 2>/dev/null || echo 0); n=$((n+1)); echo $n > "$COUNT"
if [ $n = "$VICTIM" ]; then : > ` + at + `; kill -9 $$; fi
`}
		f := newFixture(t, withRoom)
		for i := range 20 {
			f.write(fmt.Sprintf("%s/d%d/f%d", f.repo, i%5, i), fmt.Sprint(i, "\n"))
		}
		f.commit()
		wt := f.worktree()
		f.spare(wt)
		f.write(f.repo+"/d1/f1", "changed\n")
		wt.Base = f.commit()
		wt.Baseline = wt.Base
		wrapper.install(t, fmt.Sprintf("VICTIM=%d", n))(&f.opts)
		cut := mustNew(t, f.opts)
		err := cut.Spare(ctx, wt)
		cancel()
		if _, missed := os.Stat(at); missed != nil {
			if n < 3 || err != nil {
				t.Fatalf("only %d gits: %v", n-1, err)
			}
			return
		}
		f.claim(wt)
	}
}

// TestTheFirstStatusInASpareReadsNoFile has an index that is as late as can be in
// the second in which the files were written: git compares no more than seconds.
func TestTheFirstStatusInASpareReadsNoFile(t *testing.T) {
	t.Parallel()
	late := &gitWrapper{script: `
case "$*" in *read-tree*)
	"$GIT" "$@" || exit
	touch -d "@$(stat -c %Y "$GIT_INDEX_FILE").999999999" "$GIT_INDEX_FILE"
	exit
esac
`}
	f := newFixture(t, withRoom, late.install(t))
	f.write(f.repo+"/a", "a\n")
	f.write(f.repo+"/.gitattributes", "*.x text eol=crlf\n") // git writes the files
	f.commit()
	wt := f.worktree()
	f.spare(wt)
	admin := filepath.Join(string(wt.CommonDir), "worktrees", string(wt.Chat), "index")
	index, err := os.Lstat(admin)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Lstat(string(wt.Dir) + "/a")
	if err != nil {
		t.Fatal(err)
	}
	if !file.ModTime().Truncate(time.Second).Before(index.ModTime().Truncate(time.Second)) {
		t.Errorf("the index of %v cannot tell what happened to a file of %v", index.ModTime(), file.ModTime())
	}
}
