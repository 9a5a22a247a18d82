package dircache_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
)

// repo is a real repository, the oracle of these tests.
type repo struct {
	t   testing.TB
	dir string
}

func newRepo(t testing.TB, initArgs ...string) repo {
	t.Helper()
	r := repo{t, t.TempDir()}
	r.git(append([]string{"init", "-q"}, initArgs...)...)
	return r
}

func (r repo) git(args ...string) string { return r.feed("", args...) }

func (r repo) feed(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (r repo) path(name string) string { return filepath.Join(r.dir, name) }

func (r repo) indexFile() string { return r.path(".git/index") }

func (r repo) write(name, content string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// age sets a file's time to one that no index is racy against.
func (r repo) age(names ...string) {
	r.t.Helper()
	old := time.Now().Add(-time.Hour)
	for _, name := range names {
		if err := os.Chtimes(r.path(name), old, old); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r repo) read(format objectid.Format) *dircache.Index {
	r.t.Helper()
	x, err := dircache.Read(r.indexFile(), format)
	if err != nil {
		r.t.Fatal(err)
	}
	return x
}

// listing is what "git ls-files --stage -z" prints for x.
func listing(x *dircache.Index) string {
	var b strings.Builder
	for _, e := range x.Entries() {
		fmt.Fprintf(&b, "%06o %s %d\t%s\x00", e.Mode, e.ID, e.Stage, string(e.Path))
	}
	return b.String()
}

func (r repo) wantListing(x *dircache.Index) {
	r.t.Helper()
	if got, want := listing(x), r.git("ls-files", "--stage", "-z"); got != want {
		r.t.Errorf("entries are\n%q\ngit has\n%q", got, want)
	}
}

// populate commits files of every kind, with names that are hard to write.
func (r repo) populate() {
	r.t.Helper()
	for _, name := range []string{
		"a", "a.txt", "a/../a-b", "dir/one", "dir/sub/two", "dir-x", "dir.x", "dir0", "new\nline", "tab\tquote\"", "caf\xe9", "-dash", ":(top)x",
		strings.Repeat("long/", 30) + "end", "deep/" + strings.Repeat("n", 255), "empty",
	} {
		content := "content of " + name
		if name == "empty" {
			content = ""
		}
		r.write(name, content)
	}
	if err := os.Chmod(r.path("a.txt"), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Symlink("a", r.path("link")); err != nil {
		r.t.Fatal(err)
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "all")
}

func path(s string) orchestrator.Path { return orchestrator.Path(s) }
