package worktree_test

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/pending"
	"boo/worktree"
)

var _ pending.Git = (*worktree.Engine)(nil)

// gitBinary is the git that the tests run, and that the engine is given:
// another one than that on PATH if BOO_TEST_GIT says so.
var gitBinary = cmp.Or(os.Getenv("BOO_TEST_GIT"), "git")

// fixture is a repository of the person's, a home of theirs, and an engine.
type fixture struct {
	t       *testing.T
	root    string // everything is below it
	repo    string
	engine  *worktree.Engine
	filters []string // configuration for after the base, in pairs
	opts    worktree.Options
}

func newFixture(t *testing.T, change ...func(*worktree.Options)) *fixture {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, root: root, repo: filepath.Join(root, "repo")}
	f.write(filepath.Join(root, "home", ".gitconfig"),
		"[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[core]\n\tfsync = none\n[gc]\n\tauto = 0\n")
	f.opts = worktree.Options{Dir: filepath.Join(root, "data", "git"), Environ: f.environ(), Git: gitBinary}
	for _, c := range change {
		c(&f.opts)
	}
	if f.engine, err = worktree.New(f.opts); err != nil {
		t.Fatal(err)
	}
	f.mkdir(f.repo)
	f.git(f.repo, "init", "-q")
	return f
}

func (f *fixture) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(f.root, "home"), "GIT_CONFIG_NOSYSTEM=1", "USER=ada"}
}

func (f *fixture) git(dir string, args ...string) string {
	f.t.Helper()
	out, err := f.tryGit(dir, args...)
	if err != nil {
		f.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func (f *fixture) tryGit(dir string, args ...string) (string, error) {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), gitBinary, args...)
	cmd.Dir, cmd.Env = dir, f.environ()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String() + errs.String(), err
	}
	return out.String(), nil
}

func (f *fixture) mkdir(path string) {
	f.t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) write(path, content string) {
	f.t.Helper()
	f.mkdir(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) remove(path string) {
	f.t.Helper()
	if err := os.RemoveAll(path); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) symlink(target, path string) {
	f.t.Helper()
	f.remove(path)
	if err := os.Symlink(target, path); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) chmod(path string, mode fs.FileMode) {
	f.t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		f.t.Fatal(err)
	}
}

// commit records everything in the person's checkout.
func (f *fixture) commit() orchestrator.ObjectID {
	f.t.Helper()
	f.git(f.repo, "add", "-A")
	f.git(f.repo, "commit", "-q", "--allow-empty", "-m", "base")
	return orchestrator.ObjectID(f.git(f.repo, "rev-parse", "HEAD"))
}

func (f *fixture) checkout(dir string) orchestrator.Checkout {
	f.t.Helper()
	c, err := f.engine.Checkout(f.t.Context(), dir)
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

// worktree describes, but does not make, a worktree at the person's HEAD.
func (f *fixture) worktree() orchestrator.Worktree {
	f.t.Helper()
	c := f.checkout(f.repo)
	base, err := f.engine.Base(f.t.Context(), c, orchestrator.BaseRequest{})
	if err != nil {
		f.t.Fatal(err)
	}
	chat := orchestrator.NewChatID()
	return orchestrator.Worktree{
		Chat: chat, CommonDir: c.CommonDir, Base: base.Commit, Baseline: base.Commit,
		Dir: orchestrator.WorktreeDir(filepath.Join(f.root, "data", "worktrees", string(chat))),
	}
}

func (f *fixture) create() orchestrator.Worktree {
	f.t.Helper()
	wt := f.worktree()
	if err := f.engine.Create(f.t.Context(), wt); err != nil {
		f.t.Fatal(err)
	}
	return wt
}

var goose = orchestrator.Signature{Name: "goose", Email: "goose@boo", When: time.Unix(1_700_000_000, 0)}

func (f *fixture) snapshot(wt orchestrator.Worktree) orchestrator.Snapshot {
	f.t.Helper()
	snap, err := f.engine.Snapshot(f.t.Context(), wt, goose, "turn\n")
	if err != nil {
		f.t.Fatal(err)
	}
	return snap
}

// listing shows a tree for comparison and for people.
func (f *fixture) listing(dir string, tree orchestrator.ObjectID) string {
	f.t.Helper()
	return strings.ReplaceAll(f.git(dir, "ls-tree", "-r", "-z", string(tree)), "\x00", "\n")
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// oracle adds what is in the worktree to a clean clone at the base, with plain
// git, and returns the tree; forced are ignored paths to add, without are
// paths that git could not add.
func (f *fixture) oracle(wt orchestrator.Worktree, forced, without []string) orchestrator.ObjectID {
	f.t.Helper()
	clone := filepath.Join(f.root, "oracle")
	f.remove(clone)
	f.git(f.root, "clone", "-q", "--no-checkout", f.repo, clone)
	f.git(clone, "update-ref", "--no-deref", "HEAD", string(wt.Base))
	f.git(clone, "read-tree", "HEAD")
	for _, name := range []string{"exclude", "attributes"} {
		if rules, err := os.ReadFile(filepath.Join(f.repo, ".git", "info", name)); err == nil {
			f.write(filepath.Join(clone, ".git", "info", name), string(rules))
		}
	}
	cp := exec.CommandContext(f.t.Context(), "sh", "-c", `cd "$1" && tar -c --exclude=./.git . | tar -x -C "$2"`, "sh", string(wt.Dir), clone)
	if out, err := cp.CombinedOutput(); err != nil {
		f.t.Fatalf("copy the worktree: %v\n%s", err, out)
	}
	for _, path := range without {
		f.remove(filepath.Join(clone, path))
	}
	if len(wt.Sparse) > 0 {
		f.leaveOut(clone)
	}
	f.git(clone, "add", "-A")
	if len(forced) > 0 {
		f.git(clone, append([]string{"add", "-f", "--sparse", "--"}, forced...)...)
	}
	return orchestrator.ObjectID(f.git(clone, "write-tree"))
}

// leaveOut has a clone's index take files that are not there for left out.
func (f *fixture) leaveOut(clone string) {
	f.t.Helper()
	args := []string{"update-index", "--skip-worktree", "--"}
	for path := range strings.SplitSeq(f.git(clone, "ls-files", "-z"), "\x00") {
		inside := strings.HasPrefix(path, "dira/") || !strings.Contains(path, "/")
		if _, err := os.Lstat(filepath.Join(clone, path)); path != "" && err != nil && !inside {
			args = append(args, path)
		}
	}
	f.git(clone, args...)
}

func skippedPaths(snap orchestrator.Snapshot) map[string]string {
	paths := map[string]string{}
	for _, s := range snap.Skipped {
		paths[string(s.Path)] = s.Reason
	}
	return paths
}

func mustNew(t *testing.T, opts worktree.Options) *worktree.Engine {
	t.Helper()
	e, err := worktree.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
