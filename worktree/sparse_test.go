package worktree_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
)

// sparse makes a worktree that is limited to directories.
func (f *fixture) sparse(dirs ...string) orchestrator.Worktree {
	f.t.Helper()
	wt := f.worktree()
	wt.Sparse = dirs
	if err := f.engine.Create(f.t.Context(), wt); err != nil {
		f.t.Fatal(err)
	}
	return wt
}

func (f *fixture) wide() {
	f.t.Helper()
	for _, name := range []string{"top", "a/file", "a/b/in", "a/b/deep/in", "a/c/out", "z/out", "z/ignored.log"} {
		f.write(f.repo+"/"+name, name+"\n")
	}
	f.git(f.repo, "add", "-f", ".")
	f.write(f.repo+"/.gitignore", "*.log\n")
	f.commit()
}

func TestSparseWorktreeHasItsDirectoriesAndKeepsTheRest(t *testing.T) {
	f := newFixture(t)
	f.wide()
	wt := f.sparse("a/b")
	dir := string(wt.Dir)
	list := strings.Fields(f.git(dir, "ls-files", "-t"))
	for name, has := range map[string]bool{"top": true, "a/file": true, "a/b/in": true, "a/b/deep/in": true, "a/c/out": false, "z/out": false} {
		_, err := os.Lstat(dir + "/" + name)
		if (err == nil) != has {
			t.Errorf("%s: %v; the index says %v", name, err, list)
		}
	}
	if status := f.git(dir, "status", "--porcelain"); status != "" {
		t.Errorf("not clean: %s", status)
	}
	changes := func() string {
		t.Helper()
		snap := f.snapshot(wt)
		return f.git(f.repo, "diff-tree", "-r", "--name-status", string(wt.Base), string(snap.Commit))
	}
	if got := changes(); got != "" {
		t.Errorf("the first snapshot differs: %s", got)
	}
	f.write(dir+"/a/b/in", "edited\n")
	f.remove(dir + "/top")
	f.write(dir+"/z/new", "a new file outside\n")
	f.write(dir+"/z/out", "written outside\n")
	if got, want := changes(), "M\ta/b/in\nD\ttop\nA\tz/new\nM\tz/out"; got != want {
		t.Errorf("changes %q, want %q", got, want)
	}
	// Boo's own index is lost: the marks come back with it.
	f.remove(f.opts.Dir + "/chats/" + string(wt.Chat))
	if got, want := changes(), "M\ta/b/in\nD\ttop\nA\tz/new\nM\tz/out"; got != want {
		t.Errorf("after the index was lost: %q, want %q", got, want)
	}
	f.remove(dir + "/z")
	if got, want := changes(), "M\ta/b/in\nD\ttop"; got != want {
		t.Errorf("without them again: %q, want %q", got, want)
	}
}

func TestSparseCheckoutIsInherited(t *testing.T) {
	f := newFixture(t)
	f.wide()
	if base := f.base(""); base.Sparse != nil {
		t.Errorf("limited to %v", base.Sparse)
	}
	f.git(f.repo, "sparse-checkout", "set", "--cone", "a/b", "z")
	if base := f.base(""); !slices.Equal(base.Sparse, []string{"a/b", "z"}) {
		t.Errorf("limited to %v", base.Sparse)
	}
	f.git(f.repo, "sparse-checkout", "set", "--no-cone", "/a/*")
	if base := f.base(""); base.Sparse != nil || !base.ByPatterns {
		t.Errorf("patterns are taken for directories, or not seen: %v", base)
	}
	f.git(f.repo, "sparse-checkout", "disable")
	if base := f.base(""); base.Sparse != nil || base.ByPatterns {
		t.Errorf("limited to %v", base.Sparse)
	}
}
