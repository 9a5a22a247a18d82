package worktree_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree"
)

// furnished makes a worktree at a base and furnishes it from the person's
// checkout.
func (f *fixture) furnished(base orchestrator.ObjectID, req orchestrator.FurnishRequest) (orchestrator.Worktree, []string) {
	f.t.Helper()
	wt := f.worktree()
	wt.Source = orchestrator.CheckoutDir(f.repo)
	wt.Base, wt.Baseline = base, base
	if err := f.engine.Create(f.t.Context(), wt); err != nil {
		f.t.Fatal(err)
	}
	warnings, err := f.engine.Furnish(f.t.Context(), wt, req)
	if err != nil {
		f.t.Fatal(err)
	}
	return wt, warnings
}

func TestIgnoredFilesAreBroughtAlong(t *testing.T) {
	f := newFixture(t)
	f.write(f.root+"/elsewhere/secret", "outside\n")
	f.write(f.repo+"/.gitignore", ".env*\ncache/\n*.sock\nlinks/\nout\n")
	f.write(f.repo+"/.worktreeinclude", "# what it takes to run\n.env*\n!.env.prod\ncache/\nlinks/\ntracked\nuntracked\nout/x\n")
	f.write(f.repo+"/tracked", "tracked\n")
	f.symlink(f.root+"/elsewhere", f.repo+"/dir")
	base := f.commit()
	f.write(f.repo+"/.env", "KEY=1\n")
	f.chmod(f.repo+"/.env", 0o600)
	f.write(f.repo+"/sub/.env.local", "KEY=2\n")
	f.write(f.repo+"/.env.prod", "not asked for\n")
	f.write(f.repo+"/cache/a/b/tool", "#!/bin/sh\n")
	f.chmod(f.repo+"/cache/a/b/tool", 0o755)
	f.write(f.repo+"/untracked", "matches, but is not ignored\n")
	f.write(f.repo+"/links/target", "t\n")
	f.symlink("target", f.repo+"/links/inside")
	f.symlink("../../elsewhere/secret", f.repo+"/links/outside")
	f.symlink(f.root+"/elsewhere", f.repo+"/out")
	f.git(f.repo, "init", "-q", "cache/nested")
	f.write(f.repo+"/cache/nested/file", "of another repository\n")
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(f.repo+"/cache/a/b/tool", old, old); err != nil {
		t.Fatal(err)
	}

	check := f.untouched()
	wt, warnings := f.furnished(base, orchestrator.FurnishRequest{Include: []string{"*.sock"}})
	check()
	dir := string(wt.Dir)
	for name, want := range map[string]string{
		".env": "KEY=1\n", "sub/.env.local": "KEY=2\n", "cache/a/b/tool": "#!/bin/sh\n", "links/target": "t\n", "links/inside": "t\n", "tracked": "tracked\n",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	for _, name := range []string{".env.prod", "untracked", "links/outside", "out", "cache/nested/file"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
	if info, _ := os.Stat(dir + "/.env"); info.Mode().Perm() != 0o600 {
		t.Errorf(".env has mode %v", info.Mode())
	}
	if info, _ := os.Stat(dir + "/cache/a/b/tool"); info.Mode().Perm() != 0o755 || !info.ModTime().Equal(old) {
		t.Errorf("the tool has mode %v, time %v", info.Mode(), info.ModTime())
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "links/outside was not brought along: is a symlink that leads out") {
		t.Errorf("warnings %q", warnings)
	}
	if snap := f.snapshot(wt); f.git(f.repo, "diff-tree", "-r", "--name-only", string(base), string(snap.Commit)) != "" {
		t.Errorf("what was brought along is in the snapshot: %s", f.listing(f.repo, snap.Tree))
	}
}

// TestIncludedFilesMustBeIgnoredInTheWorktreeToo starts from a commit that does
// not ignore yet what the person's checkout does: a snapshot would record it.
func TestIncludedFilesMustBeIgnoredInTheWorktreeToo(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a", "a\n")
	old := f.commit()
	f.write(f.repo+"/.gitignore", ".env\n")
	f.commit()
	f.write(f.repo+"/.worktreeinclude", ".env\n")
	f.write(f.repo+"/.env", "KEY=1\n")
	wt, warnings := f.furnished(old, orchestrator.FurnishRequest{})
	if _, err := os.Lstat(string(wt.Dir) + "/.env"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf(".env is there: %v", err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "1 of the files") {
		t.Errorf("warnings %q", warnings)
	}
}

// TestIncludeGoesThroughNoSymlinkOfTheBase has the base lead out of the tree
// where the person's checkout has a directory.
func TestIncludeGoesThroughNoSymlinkOfTheBase(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/.gitignore", "conf/*\n.env\n")
	f.mkdir(f.root + "/elsewhere")
	f.symlink(f.root+"/elsewhere", f.repo+"/conf")
	f.write(f.repo+"/.env", "of the base\n")
	f.git(f.repo, "add", "-f", ".env")
	trap := f.commit()
	f.remove(f.repo + "/conf")
	f.git(f.repo, "rm", "-q", "--cached", ".env")
	f.commit()
	f.write(f.repo+"/conf/key", "secret\n")
	f.write(f.repo+"/.env", "of the person\n")
	f.write(f.repo+"/.worktreeinclude", "conf/*\n.env\n")
	wt, _ := f.furnished(trap, orchestrator.FurnishRequest{})
	if names, _ := os.ReadDir(f.root + "/elsewhere"); len(names) > 0 {
		t.Errorf("written through a symlink: %v", names)
	}
	if got, _ := os.ReadFile(string(wt.Dir) + "/.env"); string(got) != "of the base\n" {
		t.Errorf("a tracked file holds %q", got)
	}
}

func TestIncludeStopsAtItsLimitWithAWarning(t *testing.T) {
	f := newFixture(t, func(o *worktree.Options) { o.MaxInclude = 100 })
	f.write(f.repo+"/.gitignore", "*.bin\n")
	base := f.commit()
	f.write(f.repo+"/.worktreeinclude", "*.bin\n")
	f.write(f.repo+"/small.bin", "s")
	f.write(f.repo+"/large.bin", strings.Repeat("x", 101))
	wt, warnings := f.furnished(base, orchestrator.FurnishRequest{})
	_, small := os.Lstat(string(wt.Dir) + "/small.bin")
	_, large := os.Lstat(string(wt.Dir) + "/large.bin")
	shared := large == nil // where blocks can be shared nothing is copied
	if small != nil || !shared && (len(warnings) != 1 || !strings.Contains(warnings[0], "large.bin was not brought along: is more than the limit")) {
		t.Errorf("small %v, large %v, warnings %q", small, large, warnings)
	}
}
