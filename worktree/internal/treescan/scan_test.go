package treescan_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/safeopen"
	"boo/worktree/internal/treescan"

	"golang.org/x/sys/unix"
)

// tree is a directory whose files are in an index, as they were a while ago.
type tree struct {
	*testing.T
	dir   string
	index *dircache.Index
}

func newTree(t *testing.T, files ...string) *tree {
	f := &tree{T: t, dir: t.TempDir(), index: dircache.New(objectid.SHA1, time.Now().Add(time.Hour))}
	var entries []dircache.Entry
	for _, name := range files {
		f.write(name)
		past := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(f.dir, name), past, past); err != nil {
			t.Fatal(err)
		}
		var st unix.Stat_t
		if err := unix.Lstat(filepath.Join(f.dir, name), &st); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, dircache.Entry{
			Path: orchestrator.Path(name), ID: objectid.SHA1.Of(objectid.Blob, []byte(name)), Mode: orchestrator.ModeRegular, Stat: dircache.StatOf(&st),
		})
	}
	if err := f.index.Edit(entries, nil); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *tree) write(name string) {
	f.Helper()
	path := filepath.Join(f.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name), 0o644)); err != nil {
		f.Fatal(err)
	}
}

func (f *tree) remove(name string) {
	f.Helper()
	if err := os.RemoveAll(filepath.Join(f.dir, name)); err != nil {
		f.Fatal(err)
	}
}

func (f *tree) scan() (treescan.Result, error) {
	f.Helper()
	root, err := safeopen.OpenRoot(f.dir)
	if err != nil {
		f.Fatal(err)
	}
	defer root.Close()
	opts := treescan.Options{Root: root, Index: f.index}
	found, err := treescan.Run(f.Context(), opts)
	opts.Soft = true
	if soft, softErr := treescan.Run(f.Context(), opts); err == nil && (softErr != nil || !reflect.DeepEqual(soft, found)) {
		f.Errorf("a soft scan found %+v, %v, and the other %+v", soft, softErr, found)
	}
	return found, err
}

func (f *tree) expect(want treescan.Result) {
	f.Helper()
	got, err := f.scan()
	if err != nil {
		f.Fatal(err)
	}
	for _, list := range []struct {
		name      string
		got, want []orchestrator.Path
	}{
		{"suspects", got.Suspects, want.Suspects}, {"gone", got.Gone, want.Gone},
		{"files", got.Files, want.Files}, {"dirs", got.Dirs, want.Dirs},
	} {
		if !slices.Equal(list.got, list.want) {
			f.Errorf("%s: %q, want %q", list.name, list.got, list.want)
		}
	}
}

func TestATreeLikeItsIndexHasNoDifference(t *testing.T) {
	newTree(t, "a", "a.b", "a-b/x", "d/e/f", "d/e.f", "d/e0").expect(treescan.Result{})
}

// More than one goroutine is alone with at first.
func TestALargeTree(t *testing.T) {
	var files []string
	for i := range 100 {
		for j := range 50 {
			files = append(files, fmt.Sprintf("d%02d/e/f%02d", i, j))
		}
	}
	f := newTree(t, files...)
	f.remove("d00/e/f00")
	f.write("d99/e/new")
	f.expect(treescan.Result{Gone: []orchestrator.Path{"d00/e/f00"}, Files: []orchestrator.Path{"d99/e/new"}})
}

func TestEachKindOfDifferenceIsFound(t *testing.T) {
	f := newTree(t, "a/x", "a.b", "a0", "b", "c/d/e", "c/d0", "z")
	f.remove("a/x")
	f.write("a/y")
	f.remove("b")
	f.write("b/in/deep")
	f.remove("c/d")
	f.write("c/d")
	f.write("new/file")
	f.write("z")
	f.expect(treescan.Result{
		Suspects: []orchestrator.Path{"z"},
		Gone:     []orchestrator.Path{"a/x", "b", "c/d/e"},
		Files:    []orchestrator.Path{"a/y", "c/d"}, // a is where a tracked file belongs
		Dirs:     []orchestrator.Path{"b", "new"},
	})
}

func TestSymlinksAreNotFollowed(t *testing.T) {
	f := newTree(t, "d/a", "keep")
	f.remove("d")
	if err := os.Symlink(t.TempDir(), filepath.Join(f.dir, "d")); err != nil {
		t.Fatal(err)
	}
	f.expect(treescan.Result{Gone: []orchestrator.Path{"d/a"}, Files: []orchestrator.Path{"d"}})
}

func TestPipesAreNoFiles(t *testing.T) {
	f := newTree(t, "a", "b")
	if err := unix.Mkfifo(filepath.Join(f.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.expect(treescan.Result{})
	f.remove("a")
	if err := unix.Mkfifo(filepath.Join(f.dir, "a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.scan(); !errors.Is(err, treescan.ErrUnusual) {
		t.Errorf("a pipe in a file's place: %v", err)
	}
}

func TestARepositoryInsideIsNotJudged(t *testing.T) {
	f := newTree(t, "d/a")
	f.write("d/.git/HEAD")
	if _, err := f.scan(); !errors.Is(err, treescan.ErrUnusual) {
		t.Errorf("error %v", err)
	}
}
