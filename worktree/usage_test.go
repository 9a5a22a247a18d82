package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAWorktreeIsMeasuredByWhatItReallyCosts(t *testing.T) {
	f := newFixture(t)
	f.write(f.repo+"/a.txt", "a\n")
	f.commit()
	wt := f.create()
	before, err := f.engine.Usage(t.Context(), wt)
	if err != nil || before.Dirs != 1 {
		t.Fatalf("%+v, %v", before, err)
	}
	dir := filepath.Join(string(wt.Dir), "deep")
	large := filepath.Join(dir, "large")
	f.mkdir(dir)
	f.write(large, strings.Repeat("x", 1<<20))
	for _, err := range []error{
		os.Link(large, filepath.Join(dir, "same")),
		os.Truncate(large, 1<<40), // a hole takes nothing
		os.Symlink("/usr", filepath.Join(dir, "elsewhere")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var stat syscall.Stat_t
	if err := syscall.Stat(large, &stat); err != nil {
		t.Fatal(err)
	}
	for name, measure := range map[string]func() (int64, int64, error){
		"at once": func() (int64, int64, error) { u, err := f.engine.Usage(t.Context(), wt); return u.Bytes, u.Dirs, err },
		"behind":  func() (int64, int64, error) { u, err := f.engine.Weigh(t.Context(), wt); return u.Bytes, u.Dirs, err },
	} {
		bytes, dirs, err := measure()
		if more := bytes - before.Bytes; err != nil || more < stat.Blocks*512 || more > stat.Blocks*512+64<<10 || dirs != 2 {
			t.Errorf("%s: %d bytes more in %d directories, %v; the file takes %d", name, more, dirs, err, stat.Blocks*512)
		}
	}
}
