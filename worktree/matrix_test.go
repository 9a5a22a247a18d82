package worktree_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree"
)

// edgeCase is one way in which an agent leaves a worktree. The snapshot of
// each must be the tree that plain git makes of the same files.
type edgeCase struct {
	name    string
	base    func(f *fixture)             // what the base holds more than usual
	turn    func(f *fixture, dir string) // what the agent does
	forced  []string                     // ignored files the agent added by force
	skipped []string                     // paths that must be named as left out
	noted   []string                     // paths that are recorded with a note
	filters bool                         // the repository has filters, which plain git would run
}

func TestSnapshotEqualsPlainGit(t *testing.T) {
	for _, c := range slices.Concat(editCases, nameCases, agentGitCases, conversionCases, refusedCases) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var why error // the snapshots were left to git
			f := newFixture(t, func(o *worktree.Options) {
				o.MaxFile = 1 << 30
				o.Fallback = func(err error) { why = err }
			})
			f.write(f.repo+"/keep.txt", "keep\n")
			f.write(f.repo+"/edit.txt", "one\ntwo\n")
			f.write(f.repo+"/gone.txt", "gone\n")
			f.write(f.repo+"/dir/a.txt", "a\n")
			f.write(f.repo+"/dir/sub/b.txt", "b\n")
			f.symlink("keep.txt", f.repo+"/link")
			if c.base != nil {
				c.base(f)
			}
			f.commit()
			for pair := range slices.Chunk(f.filters, 2) {
				f.git(f.repo, "config", pair[0], pair[1])
			}
			wt := f.create()
			dir := string(wt.Dir)
			if status, _ := f.tryGit(dir, "status", "--porcelain"); status != "" && !c.filters {
				t.Fatalf("a fresh worktree is not clean:\n%s", status)
			}
			watch := f.watching(wt)
			c.turn(f, dir)
			index, _ := os.ReadFile(filepath.Join(string(wt.CommonDir), "worktrees", string(wt.Chat), "index"))

			want := f.oracle(wt, c.forced, c.skipped)
			f.watched(wt, watch, want, unseen[c.name])
			why = nil
			snap := f.snapshot(wt)
			if snap.Tree != want {
				t.Errorf("snapshot:\n%s\nplain git:\n%s", f.listing(f.repo, snap.Tree), f.listing(f.root+"/oracle", want))
			}
			named := slices.Sorted(maps.Keys(skippedPaths(snap)))
			if all := slices.Sorted(slices.Values(slices.Concat(c.skipped, c.noted))); !slices.Equal(named, all) {
				t.Errorf("skipped %q, want %q", snap.Skipped, all)
			}
			after, _ := os.ReadFile(filepath.Join(string(wt.CommonDir), "worktrees", string(wt.Chat), "index"))
			if string(index) != string(after) {
				t.Error("the worktree's own index was written")
			}
			if again := f.snapshot(wt); again.Tree != snap.Tree || again.Parent != snap.Commit {
				t.Errorf("a second snapshot of the same files has tree %s on %s", again.Tree, again.Parent)
			}
			if byGit := leftToGit[c.name]; byGit != (why != nil) {
				t.Errorf("taken by git: %v (%v), want %v", why != nil, why, byGit)
			}
			if told := f.engine.LeftToGit(wt); (told.Count > 0) != (why != nil) || (told.Why == "") != (why == nil) {
				t.Errorf("told of it: %+v", told)
			}
		})
	}
}

// unseen are the cases of which a watcher cannot tell, and that only the scan
// after it sees.
var unseen = map[string]bool{
	"written through a mapping that is still open": true,
	"edited through a hard link outside":           true,
}

// watched checks what a watcher makes of the turn, and what that is confirmed as;
// then everything is as if there had been no watch.
func (f *fixture) watched(wt orchestrator.Worktree, watch orchestrator.TreeWatch, want orchestrator.ObjectID, missed bool) {
	f.t.Helper()
	fast, err := watch.Snapshot(f.t.Context(), goose, "turn\n")
	if err != nil {
		f.t.Fatal(err)
	}
	if fast.Tree != want && (fast.Verified || !missed) {
		f.t.Errorf("watched (verified %v):\n%s\nplain git:\n%s", fast.Verified, f.listing(f.repo, fast.Tree), f.listing(f.root+"/oracle", want))
	}
	if !fast.Verified {
		f.confirmed(watch, fast, want)
	}
	if err := watch.Close(); err != nil {
		f.t.Fatal(err)
	}
	f.git(f.repo, "update-ref", "-d", "refs/boo/chats/"+string(wt.Chat)+"/head")
	f.remove(filepath.Join(f.opts.Dir, "chats", string(wt.Chat), "newest"))
}

// leftToGit are the cases in which only git's own judgement is certain.
var leftToGit = map[string]bool{
	"odd names":                               true,
	"embedded repository":                     true,
	"submodule left empty":                    true,
	"submodule removed":                       true,
	"submodule replaced by a file":            true,
	"submodule at another commit":             true,
	"autocrlf":                                true,
	"text=auto with CRLF already in the base": true,
	"eol=crlf and working-tree-encoding":      true,
	"ident":                                   true,
	"attributes changed in the turn":          true,
	"info/attributes":                         true,
	"nested repository without a commit":      true,
	"names that git refuses":                  true,
	"many files whose encoding does not hold": true,
	"encoding that does not hold":             true,
}

var editCases = []edgeCase{
	{name: "nothing", turn: func(*fixture, string) {}},
	{name: "modify, create, delete, rename", turn: func(f *fixture, dir string) {
		f.write(dir+"/edit.txt", "one\n2\n")
		f.write(dir+"/new/deep/file.txt", "new\n")
		f.remove(dir + "/gone.txt")
		rename(f, dir+"/dir/a.txt", dir+"/dir/renamed.txt")
	}},
	{name: "ignored file and directory", base: ignore("*.log\nbuild/\n"), turn: func(f *fixture, dir string) {
		f.write(dir+"/x.log", "log\n")
		f.write(dir+"/build/out", "out\n")
	}},
	{name: "ignore rule relaxed", base: ignore("*.log\n"), turn: func(f *fixture, dir string) {
		f.write(dir+"/x.log", "log\n")
		f.write(dir+"/.gitignore", "\n")
	}},
	{name: "excluded by info/exclude", base: func(f *fixture) { f.write(f.repo+"/.git/info/exclude", "secret\n") },
		turn: func(f *fixture, dir string) { f.write(dir+"/secret", "s\n") }},
	{name: "excluded by the person for all repositories", base: func(f *fixture) {
		f.write(f.root+"/home/.config/git/ignore", "*.swp\n")
	}, turn: func(f *fixture, dir string) { f.write(dir+"/x.swp", "s\n") }},
	{name: "mode change, new executable", turn: func(f *fixture, dir string) {
		f.chmod(dir+"/edit.txt", 0o755)
		f.write(dir+"/run.sh", "#!/bin/sh\n")
		f.chmod(dir+"/run.sh", 0o755)
	}},
	{name: "file to symlink, symlink to file, dangling, to a directory", turn: func(f *fixture, dir string) {
		f.symlink("keep.txt", dir+"/edit.txt")
		f.remove(dir + "/link")
		f.write(dir+"/link", "file now\n")
		f.symlink("nowhere", dir+"/dangling")
		f.symlink("dir", dir+"/todir")
	}},
	{name: "file to directory, directory to file", turn: func(f *fixture, dir string) {
		f.remove(dir + "/edit.txt")
		f.write(dir+"/edit.txt/inside", "x\n")
		f.remove(dir + "/dir")
		f.write(dir+"/dir", "file\n")
	}},
	{name: "directory to symlink to a directory outside", turn: func(f *fixture, dir string) {
		f.write(f.root+"/outside/a.txt", "secret of the person\n")
		f.remove(dir + "/dir")
		f.symlink(f.root+"/outside", dir+"/dir")
	}},
	{name: "empty directory, fifo, socket", turn: func(f *fixture, dir string) {
		f.mkdir(dir + "/empty")
		mkfifo(f.t, dir+"/fifo")
		if err := syscall.Mknod(dir+"/socket", syscall.S_IFSOCK|0o644, 0); err != nil {
			f.t.Fatal(err)
		}
	}},
	{name: "directory renamed", turn: func(f *fixture, dir string) { rename(f, dir+"/dir", dir+"/moved") }},
	{name: "directory moved in from outside", turn: func(f *fixture, dir string) {
		f.write(f.root+"/elsewhere/x/y", "y\n")
		rename(f, f.root+"/elsewhere", dir+"/in")
	}},
	{name: "binary", base: func(f *fixture) { f.write(f.repo+"/bin", "\x00\x01\x02") },
		turn: func(f *fixture, dir string) { f.write(dir+"/bin", "\x00\x01\x03\xff") }},
	{name: "same size, time put back", turn: func(f *fixture, dir string) {
		info, err := os.Stat(dir + "/edit.txt")
		if err != nil {
			f.t.Fatal(err)
		}
		f.write(dir+"/edit.txt", "eno\nowt\n")
		if err := os.Chtimes(dir+"/edit.txt", time.Time{}, info.ModTime()); err != nil {
			f.t.Fatal(err)
		}
	}},
	{name: "written through a mapping that is still open", turn: func(f *fixture, dir string) {
		file, err := os.OpenFile(dir+"/edit.txt", os.O_RDWR, 0)
		if err != nil {
			f.t.Fatal(err)
		}
		defer file.Close()
		mem, err := syscall.Mmap(int(file.Fd()), 0, 4, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		if err != nil {
			f.t.Fatal(err)
		}
		f.t.Cleanup(func() { syscall.Munmap(mem) })
		copy(mem, "MMAP")
	}},
	{name: "edited through a hard link outside", turn: func(f *fixture, dir string) {
		if err := os.Link(dir+"/edit.txt", f.root+"/hard"); err != nil {
			f.t.Fatal(err)
		}
		f.write(f.root+"/hard", "through the link\n")
	}},
	{name: "large sparse file", turn: func(f *fixture, dir string) {
		f.write(dir+"/large", "")
		if err := os.Truncate(dir+"/large", 64<<20); err != nil {
			f.t.Fatal(err)
		}
	}},
	{name: "deep new tree, partly deleted", turn: func(f *fixture, dir string) {
		for i := range 200 {
			f.write(dir+"/deep/"+strings.Repeat("d/", i%20)+"f"+string(rune('a'+i/20)), "x\n")
		}
		f.remove(dir + "/deep/d/d/d")
	}},
	{name: "atomic save", turn: func(f *fixture, dir string) {
		f.write(dir+"/edit.txt.tmp", "saved\n")
		rename(f, dir+"/edit.txt.tmp", dir+"/edit.txt")
	}},
	{name: "ignored directory with 3000 files", base: ignore("node_modules/\n"), turn: func(f *fixture, dir string) {
		f.mkdir(dir + "/node_modules")
		for i := range 3000 {
			f.write(dir+"/node_modules/"+string(rune('a'+i%26))+strings.Repeat("x", i/26), "")
		}
		f.write(dir+"/new", "n\n")
	}},
}

func rename(f *fixture, from, to string) {
	f.t.Helper()
	if err := os.Rename(from, to); err != nil {
		f.t.Fatal(err)
	}
}

func ignore(rules string) func(*fixture) {
	return func(f *fixture) { f.write(f.repo+"/.gitignore", rules) }
}
