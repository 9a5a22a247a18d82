package populate_test

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
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/populate"
)

// everyKind commits files of every kind.
func everyKind(t *testing.T, initArgs ...string) repo {
	r := newRepo(t, initArgs...)
	for i := range 600 {
		r.write(fmt.Sprintf("many/file%03d", i), fmt.Sprint("content ", i))
	}
	for _, name := range []string{"a", "a.txt", "a-b/c", "dir/sub/deep/f", "new\nline", "caf\xe9", "-dash", "tool", "empty"} {
		r.write(name, "content of "+name)
	}
	r.write("empty", "")
	r.write("large", strings.Repeat("0123456789abcdef", 100_000))
	r.must(os.Chmod(filepath.Join(r.dir, "tool"), 0o755))
	r.must(os.Symlink("dir/sub", filepath.Join(r.dir, "link")))
	r.must(os.Symlink("../../etc", filepath.Join(r.dir, "dir/up")))
	r.commit()
	return r
}

// wantLikeCheckout checks a populated worktree against git.
func wantLikeCheckout(t *testing.T, r repo, dir, index string, got populate.Result) {
	t.Helper()
	r.must(got.Index.WriteFile(index))
	before, err := os.ReadFile(index)
	r.must(err)
	if out := r.in(dir, "diff-files"); out != "" {
		t.Errorf("git takes files for changed: %s", out)
	}
	if out := r.in(dir, "status", "--porcelain", "--ignored"); out != "" {
		t.Errorf("git status: %s", out)
	}
	after, err := os.ReadFile(index)
	r.must(err)
	if string(before) != string(after) {
		t.Error("git status had to refresh the index")
	}
	for _, e := range got.Index.Entries() {
		if e.Stat.Mtime().Unix() >= got.Index.AsOf().Unix() {
			t.Errorf("%s is racy", e.Path)
		}
	}
	checkout := filepath.Join(t.TempDir(), "checkout")
	r.git("worktree", "add", "-q", "--detach", checkout)
	if want, have := r.in(checkout, "ls-files", "-s"), r.in(dir, "ls-files", "-s"); want != have {
		t.Errorf("the index lists\n%s\nwant\n%s", have, want)
	}
	if out, want := r.in(dir, "write-tree"), string(r.rev("HEAD^{tree}")); strings.TrimSpace(out) != want {
		t.Errorf("the tree is %s, want %s", out, want)
	}
	for _, tree := range []string{dir, checkout} {
		r.must(os.Remove(filepath.Join(tree, ".git")))
	}
	if out := r.git("diff", "--no-index", "--stat", checkout, dir); out != "" {
		t.Errorf("the files differ from a checkout: %s", out)
	}
}

func TestATreeFromTheObjectStoreIsLikeACheckout(t *testing.T) {
	for name, format := range map[string]objectid.Format{"sha1": objectid.SHA1, "sha256": objectid.SHA256} {
		r := everyKind(t, "--object-format="+name)
		dir, index := r.linked()
		got, err := populate.Run(t.Context(), populate.Options{Dir: dir, Tree: r.rev("HEAD^{tree}"), Format: format, Objects: r.objects()})
		r.must(err)
		if got.Extracted != 612 || got.Copied+got.Shared != 0 {
			t.Errorf("%d extracted, %d copied", got.Extracted, got.Copied)
		}
		wantLikeCheckout(t, r, dir, index, got)
	}
}

func TestATreeFromATemplateIsLikeACheckout(t *testing.T) {
	r := everyKind(t)
	r.age()
	dir, index := r.linked()
	source := &counting{Objects: r.objects()}
	got, err := populate.Run(t.Context(), populate.Options{Dir: dir, Tree: r.rev("HEAD^{tree}"), Objects: source, Templates: []*populate.Template{r.template()}})
	r.must(err)
	if got.Copied+got.Shared != 610 || len(source.blobs) != 2 {
		t.Errorf("%d copied, %d shared, %d read, want all but the symlinks from the template", got.Copied, got.Shared, len(source.blobs))
	}
	wantLikeCheckout(t, r, dir, index, got)
}

// age makes the repository's work tree an hour old, so that its index is not racy.
func (r repo) age() {
	r.t.Helper()
	old := time.Now().Add(-time.Hour)
	for _, name := range strings.Split(strings.TrimSuffix(r.git("ls-files", "-z"), "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(r.dir, name)); err == nil && info.Mode().IsRegular() {
			r.must(os.Chtimes(filepath.Join(r.dir, name), old, old))
		}
	}
	r.git("update-index", "-q", "--refresh")
}

// What the template does not hold, or not provably, comes from the objects.
func TestAFileThatMayHaveChangedIsNotCopied(t *testing.T) {
	r := everyKind(t)
	r.age()
	template := r.template()
	r.write("a", "edited")
	r.write("a.txt", "CONTENT of a.txt") // same size
	info, err := os.Stat(filepath.Join(r.dir, "empty"))
	r.must(err)
	r.must(os.Chtimes(filepath.Join(r.dir, "a.txt"), info.ModTime(), info.ModTime()))
	r.must(os.Chmod(filepath.Join(r.dir, "large"), 0o755))
	r.must(os.Remove(filepath.Join(r.dir, "tool")))
	r.must(os.Remove(filepath.Join(r.dir, "-dash")))
	r.must(os.Symlink("a", filepath.Join(r.dir, "-dash")))
	r.must(os.RemoveAll(filepath.Join(r.dir, "dir")))
	r.must(os.Rename(filepath.Join(r.dir, "a-b"), r.dir+"-moved"))
	r.must(os.Symlink(r.dir+"-moved", filepath.Join(r.dir, "a-b")))

	dir, index := r.linked()
	got, err := populate.Run(t.Context(), populate.Options{Dir: dir, Tree: r.rev("HEAD^{tree}"), Objects: r.objects(), Templates: []*populate.Template{template}})
	r.must(err)
	if got.Extracted != 9 {
		t.Errorf("%d extracted, want the 7 files and the 2 symlinks", got.Extracted)
	}
	r.git("reset", "-q", "--hard")
	wantLikeCheckout(t, r, dir, index, got)
}

func TestARacyTemplateIsNotTrusted(t *testing.T) {
	r := newRepo(t)
	r.write("f", "one\n")
	r.commit()
	template := r.template()
	template.Index.Advance(template.Index.Lookup("f").Stat.Mtime())
	dir, _ := r.linked()
	got, err := populate.Run(t.Context(), populate.Options{Dir: dir, Tree: r.rev("HEAD^{tree}"), Objects: r.objects(), Templates: []*populate.Template{template}})
	r.must(err)
	if got.Extracted != 1 {
		t.Error("a racy file was copied")
	}
}

func TestATemplateOfAnotherCommitGivesWhatIsTheSame(t *testing.T) {
	r := everyKind(t)
	r.age()
	template := r.template()
	r.write("a", "second")
	r.write("new/f", "second")
	r.must(os.Remove(filepath.Join(r.dir, "a.txt")))
	r.commit()
	dir, index := r.linked()
	got, err := populate.Run(t.Context(), populate.Options{Dir: dir, Tree: r.rev("HEAD^{tree}"), Objects: r.objects(), Templates: []*populate.Template{template}})
	r.must(err)
	if got.Extracted != 4 {
		t.Errorf("%d extracted, want 2 files and 2 symlinks", got.Extracted)
	}
	wantLikeCheckout(t, r, dir, index, got)
}

func TestSubmodulesAreEmptyDirectories(t *testing.T) {
	sub := newRepo(t)
	sub.write("f", "x")
	sub.commit()
	r := newRepo(t)
	r.git("submodule", "--quiet", "add", sub.dir, "sub")
	r.commit()
	dir, index := r.linked()
	got, err := populate.Run(t.Context(), populate.Options{Dir: dir, Tree: r.rev("HEAD^{tree}"), Objects: r.objects()})
	r.must(err)
	if len(got.Submodules) != 1 || got.Submodules[0] != "sub" {
		t.Errorf("submodules %v", got.Submodules)
	}
	r.must(got.Index.WriteFile(index))
	if out := r.in(dir, "status", "--porcelain"); out != "" {
		t.Errorf("git status: %s", out)
	}
}

func TestATreeThatReachesOutsideIsRefused(t *testing.T) {
	r := newRepo(t)
	r.write("f", "/etc")
	r.commit()
	blob := r.rev("HEAD:f")
	raw, err := objectid.SHA1.AppendRaw(nil, blob)
	r.must(err)
	for _, name := range []string{"..", ".git", ".GIT", "a/b", "../x"} {
		source := memory{}
		evil := append([]byte("100644 "+name+"\x00"), raw...)
		tree := source.put(evil)
		dir := t.TempDir()
		if _, err := populate.Run(t.Context(), populate.Options{Dir: dir, Tree: tree, Objects: merged{source, r.objects()}}); err == nil {
			t.Errorf("%q was written", name)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%q left %v", name, left)
		}
	}
}

func TestWhatIsInTheWayIsNotOverwritten(t *testing.T) {
	r := newRepo(t)
	r.write("dir/f", "x")
	r.write("f", "x")
	r.commit()
	for _, name := range []string{"dir", "f"} {
		dir := t.TempDir()
		outside := t.TempDir()
		r.must(os.Symlink(outside, filepath.Join(dir, name)))
		if _, err := populate.Run(t.Context(), populate.Options{Dir: dir, Tree: r.rev("HEAD^{tree}"), Objects: r.objects()}); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s: got %v", name, err)
		}
		if left, _ := os.ReadDir(outside); len(left) > 0 {
			t.Errorf("%s: %v was written outside", name, left)
		}
	}
}

func TestAnEmptyTreeIsAnEmptyIndex(t *testing.T) {
	r := newRepo(t)
	r.commit()
	got, err := populate.Run(t.Context(), populate.Options{Dir: t.TempDir(), Tree: objectid.SHA1.EmptyTree(), Objects: r.objects()})
	r.must(err)
	if len(got.Index.Entries()) != 0 {
		t.Errorf("entries %v", got.Index.Entries())
	}
}

func TestAMissingObjectAndACancellationAreErrors(t *testing.T) {
	r := everyKind(t)
	tree := r.rev("HEAD^{tree}")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := populate.Run(ctx, populate.Options{Dir: t.TempDir(), Tree: tree, Objects: r.objects()}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	none := orchestrator.ObjectID(strings.Repeat("1", 40))
	if _, err := populate.Run(t.Context(), populate.Options{Dir: t.TempDir(), Tree: none, Objects: r.objects()}); err == nil {
		t.Error("a missing tree is no error")
	}
	lost := &losing{Objects: r.objects(), id: r.rev("HEAD:many/file300")}
	if _, err := populate.Run(t.Context(), populate.Options{Dir: t.TempDir(), Tree: tree, Objects: lost}); !errors.Is(err, errLost) {
		t.Errorf("got %v", err)
	}
}
