package worktree

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"boo/worktree/internal/safeopen"
)

func TestAFileIsNamedOnceItIsWritten(t *testing.T) {
	checkout, to := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(checkout, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := safeopen.OpenRoot(checkout)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	b := newBeside(root, to)
	if b == nil {
		t.Fatal("the file system has no files without a name")
	}
	defer b.close()
	f, err := b.create("sub", "1", 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "content"); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{checkout + "/sub", to} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s has %v before the file is closed, %v", dir, left, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(to, "1"))
	if err != nil || string(content) != "content" {
		t.Errorf("%q %v", content, err)
	}
	if at, err := os.Stat(filepath.Join(to, "1")); err != nil || at.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", at, err)
	}
	again, err := b.create("", "1", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if again.Close() == nil {
		t.Error("it replaced another file")
	}
	if _, err := b.create("absent", "2", 0o600); err == nil {
		t.Error("made in a directory that is not there")
	}
}

func TestFilesAreMadeInPlaceWhereTheyCannotComeFromBeside(t *testing.T) {
	root, err := safeopen.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if b := newBeside(root, "/proc"); b != nil {
		t.Error("files of another file system")
	}
}
