package worktree_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/worktree"
)

// withLFS is a repository with a file that is kept with Git LFS, cloned from a
// remote on this disk: the person's clone has the pointer, its store nothing.
func withLFS(t *testing.T, change ...func(*worktree.Options)) *fixture {
	t.Helper()
	f := newFixture(t, change...)
	f.write(f.root+"/home/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[core]\n\tfsync = none\n[gc]\n\tauto = 0\n"+
		"[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n")
	f.write(f.repo+"/.gitattributes", "*.big filter=lfs diff=lfs merge=lfs -text\n")
	f.write(f.repo+"/a.big", "the content\n")
	f.write(f.repo+"/dir/empty.big", "")
	f.write(f.repo+"/plain.txt", "plain\n")
	f.commit()
	f.git(f.root, "clone", "-q", "--bare", f.repo, f.root+"/remote.git")
	f.git(f.repo, "remote", "add", "origin", "file://"+f.root+"/remote.git")
	f.git(f.repo, "-c", "core.hooksPath=/dev/null", "lfs", "push", "origin", "main")
	return f
}

func pointerTo(content string) string {
	sum := sha256.Sum256([]byte(content))
	return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", hex.EncodeToString(sum[:]), len(content))
}

func (f *fixture) furnish(wt orchestrator.Worktree) []string {
	f.t.Helper()
	wt.Source = f.checkout(f.repo).Dir
	warnings, err := f.engine.Furnish(f.t.Context(), wt, orchestrator.FurnishRequest{Environ: f.environ()})
	if err != nil {
		f.t.Fatal(err)
	}
	return warnings
}

func (f *fixture) read(path string) string {
	f.t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(content)
}

// hasLFS reports whether there is a git-lfs to test with; .ci/run sees to it.
func hasLFS(t *testing.T) bool {
	t.Helper()
	_, err := exec.LookPath("git-lfs")
	if err != nil {
		t.Logf("NOT TESTED: %v", err)
	}
	return err == nil
}

func TestWhatIsKeptWithLFSHasItsContent(t *testing.T) {
	if !hasLFS(t) {
		return
	}
	for _, c := range []struct {
		name  string
		local bool // the person's clone has the contents
	}{{"in the clone", true}, {"at the remote", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := withLFS(t)
			if !c.local {
				f.remove(f.repo + "/.git/lfs")
			}
			wt := f.create()
			if warnings := f.furnish(wt); len(warnings) > 0 {
				t.Errorf("warnings %q", warnings)
			}
			dir := string(wt.Dir)
			if got := f.read(dir + "/a.big"); got != "the content\n" {
				t.Errorf("the file holds %q", got)
			}
			if status := f.git(dir, "status", "--porcelain"); status != "" {
				t.Errorf("not clean:\n%s", status)
			}
			if snap := f.snapshot(wt); snap.Tree != orchestrator.ObjectID(f.git(f.repo, "rev-parse", "HEAD^{tree}")) {
				t.Errorf("a snapshot of nothing differs:\n%s", f.listing(f.repo, snap.Tree))
			}
			f.takeWork(wt)
		})
	}
}

// takeWork has an agent change such files, and the person take them.
func (f *fixture) takeWork(wt orchestrator.Worktree) {
	f.t.Helper()
	dir := string(wt.Dir)
	f.write(dir+"/a.big", "changed\n")
	f.write(dir+"/new.big", "new\n")
	f.write(dir+"/plain.txt", "edited\n")
	snap := f.snapshot(wt)
	for name, content := range map[string]string{"a.big": "changed\n", "new.big": "new\n"} {
		if got := f.git(f.repo, "cat-file", "blob", string(snap.Tree)+":"+name); got+"\n" != pointerTo(content) {
			f.t.Errorf("%s is recorded as %q", name, got)
		}
	}
	if want := f.oracle(wt, nil, nil); snap.Tree != want {
		f.t.Errorf("snapshot:\n%s\nplain git:\n%s", f.listing(f.repo, snap.Tree), f.listing(f.root+"/oracle", want))
	}
	f.git(f.repo, "lfs", "prune", "--no-verify-remote")
	changes, err := f.engine.Diff(f.t.Context(), wt.CommonDir, wt.Base, snap.Commit)
	f.must(err)
	entries, hints, paths := map[orchestrator.Path]orchestrator.Entry{}, map[orchestrator.Path]orchestrator.Entry{}, []orchestrator.Path(nil)
	for _, change := range changes {
		entries[change.Path], hints[change.Path], paths = change.New, change.Old, append(paths, change.Path)
	}
	c := f.checkout(f.repo)
	current, err := f.engine.Current(f.t.Context(), c, paths, hints)
	f.must(err)
	for path, old := range hints {
		if current[path].Entry != old {
			f.t.Errorf("the person's %s is taken for %+v, not for the base's %+v", path, current[path].Entry, old)
		}
	}
	f.mkdir(f.root + "/dest")
	f.must(f.engine.Materialize(f.t.Context(), c, f.root+"/dest", entries, byPath))
	if got := f.read(f.root+"/dest/a.big") + f.read(f.root+"/dest/new.big"); got != "changed\nnew\n" {
		f.t.Errorf("the person gets %q", got)
	}
	f.remove(dir)
	f.must(f.engine.Restore(f.t.Context(), wt))
	if got := f.read(dir+"/a.big") + f.read(dir+"/new.big"); got != "changed\nnew\n" {
		f.t.Errorf("restored as %q", got)
	}
	f.must(f.engine.Release(f.t.Context(), wt.CommonDir, wt.Chat))
	if _, err := os.Stat(f.repo + "/.git/lfs/boo"); !os.IsNotExist(err) {
		f.t.Errorf("contents of a chat that is gone are kept: %v", err)
	}
}

func TestContentsThatCannotBeHadAreNamed(t *testing.T) {
	if !hasLFS(t) {
		return
	}
	without := func(f *fixture) []string { // a PATH with git, and no git-lfs
		bin := f.root + "/bin"
		f.mkdir(bin)
		git, err := exec.LookPath(gitBinary)
		f.must(err)
		f.symlink(git, bin+"/git")
		return append([]string{"PATH=" + bin}, f.environ()[1:]...)
	}
	for _, c := range []struct {
		name   string
		change func(f *fixture)
		words  string
	}{
		{"skipped", func(f *fixture) { f.opts.SkipLFS = true }, `worktree.lfs is "skip"`},
		{"not installed", func(f *fixture) { f.opts.Environ = without(f) }, "git-lfs is not installed"},
		{"not set up", func(f *fixture) {
			f.write(f.root+"/home/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n")
		}, "run: git lfs install"},
		{"gone", func(f *fixture) {
			f.remove(f.repo + "/.git/lfs")
			f.remove(f.root + "/remote.git")
		}, "1 of the files that this repository keeps with Git LFS are pointers in the worktree, such as a.big"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := withLFS(t)
			c.change(f)
			f.engine = mustNew(t, f.opts)
			wt := f.create()
			if said := strings.Join(f.furnish(wt), "\n"); !strings.Contains(said, c.words) {
				t.Errorf("said %q", said)
			}
			if got := f.read(filepath.Join(string(wt.Dir), "a.big")); got != pointerTo("the content\n") {
				t.Errorf("the file holds %q", got)
			}
			if snap := f.snapshot(wt); snap.Tree != orchestrator.ObjectID(f.git(f.repo, "rev-parse", "HEAD^{tree}")) {
				t.Errorf("a snapshot of nothing differs:\n%s", f.listing(f.repo, snap.Tree))
			}
		})
	}
}
