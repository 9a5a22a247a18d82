package safeopen_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/safeopen"

	"golang.org/x/sys/unix"
)

// both runs a test with the kernel's lookup and with the one by hand, below a
// directory with one of everything.
func both(t *testing.T, test func(t *testing.T, dir string, r *safeopen.Root)) {
	for name, open := range map[string]func(string) (*safeopen.Root, error){
		"openat2": safeopen.OpenRoot, "by walking": safeopen.OpenRootByWalking,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "tree")
			must(t, os.MkdirAll(filepath.Join(dir, "sub", "deep"), 0o755))
			must(t, os.WriteFile(filepath.Join(dir, "sub", "deep", "file"), []byte("content"), 0o644))
			must(t, os.WriteFile(filepath.Join(filepath.Dir(dir), "secret"), []byte("secret"), 0o644))
			for link, target := range map[string]string{
				"link": "sub/deep/file", "dirlink": "sub", "up": "..", "abs": "/etc/passwd", "loop": "loop", "dangling": "nowhere", "sub/self": "/proc/self/cwd",
			} {
				must(t, os.Symlink(target, filepath.Join(dir, link)))
			}
			must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
			socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
			must(t, err)
			t.Cleanup(func() { _ = socket.Close() })
			r, err := open(dir)
			must(t, err)
			t.Cleanup(func() { must(t, r.Close()) })
			test(t, dir, r)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestARegularFileIsRead(t *testing.T) {
	both(t, func(t *testing.T, _ string, r *safeopen.Root) {
		f, err := r.Open("sub/deep/file")
		must(t, err)
		content, err := io.ReadAll(f)
		must(t, err)
		if string(content) != "content" || f.Stat().Size != 7 {
			t.Errorf("read %q of %d bytes", content, f.Stat().Size)
		}
		must(t, errors.Join(f.Unchanged(), f.Close()))
	})
}

func TestWhatCannotBeReadSafelyIsRefused(t *testing.T) {
	both(t, func(t *testing.T, _ string, r *safeopen.Root) {
		for path, want := range map[orchestrator.Path]error{
			"link":              safeopen.ErrNotRegular,
			"dangling":          safeopen.ErrNotRegular,
			"loop":              safeopen.ErrNotRegular,
			"abs":               safeopen.ErrNotRegular,
			"fifo":              safeopen.ErrNotRegular,
			"socket":            safeopen.ErrNotRegular,
			"sub":               safeopen.ErrNotRegular,
			"dirlink":           safeopen.ErrNotRegular,
			"dirlink/deep/file": safeopen.ErrSymlink,
			"up/secret":         safeopen.ErrSymlink,
			"loop/x":            safeopen.ErrSymlink,
			"sub/self/etc":      safeopen.ErrSymlink,
			"dangling/x":        safeopen.ErrSymlink,
			"none":              fs.ErrNotExist,
			"none/x":            fs.ErrNotExist,
			"sub/deep/file/x":   fs.ErrNotExist,
			"../secret":         safeopen.ErrOutside,
			"sub/../../secret":  safeopen.ErrOutside,
			"/etc/passwd":       safeopen.ErrOutside,
			"":                  safeopen.ErrOutside,
			".":                 safeopen.ErrOutside,
			"sub//deep":         safeopen.ErrOutside,
			"sub\x00":           safeopen.ErrOutside,
		} {
			f, err := r.Open(path)
			if !errors.Is(err, want) {
				t.Errorf("open %q: got %v, want %v", path, err, want)
			}
			if err == nil {
				_ = f.Close()
			}
		}
	})
}

func TestLstatDescribesTheLastPartItself(t *testing.T) {
	both(t, func(t *testing.T, _ string, r *safeopen.Root) {
		for path, want := range map[orchestrator.Path]uint32{
			"sub/deep/file": unix.S_IFREG, "link": unix.S_IFLNK, "loop": unix.S_IFLNK, "sub": unix.S_IFDIR, "dirlink": unix.S_IFLNK,
			"fifo": unix.S_IFIFO, "socket": unix.S_IFSOCK,
		} {
			st, err := r.Lstat(path)
			if err != nil || st.Mode&unix.S_IFMT != want {
				t.Errorf("lstat %s: mode %o, %v, want kind %o", path, st.Mode, err, want)
			}
		}
		for path, want := range map[orchestrator.Path]error{
			"dirlink/deep": safeopen.ErrSymlink, "none": fs.ErrNotExist, "sub/deep/file/x": fs.ErrNotExist, "../secret": safeopen.ErrOutside,
		} {
			if _, err := r.Lstat(path); !errors.Is(err, want) {
				t.Errorf("lstat %s: got %v, want %v", path, err, want)
			}
		}
	})
}

func TestReadlinkTellsTheTargetAsItIs(t *testing.T) {
	both(t, func(t *testing.T, dir string, r *safeopen.Root) {
		long := strings.Repeat("x/", 2000)
		must(t, os.Symlink(long, filepath.Join(dir, "long")))
		for path, want := range map[orchestrator.Path]string{"link": "sub/deep/file", "abs": "/etc/passwd", "loop": "loop", "long": long} {
			if got, err := r.Readlink(path); got != want || err != nil {
				t.Errorf("link %s: %q, %v", path, got, err)
			}
		}
		if _, err := r.Readlink("sub/deep/file"); !errors.Is(err, unix.EINVAL) {
			t.Errorf("link of a file: %v", err)
		}
		if _, err := r.Readlink("up/tree"); !errors.Is(err, safeopen.ErrSymlink) {
			t.Errorf("link behind a link: %v", err)
		}
	})
}

func TestADirectoryCanBeListed(t *testing.T) {
	both(t, func(t *testing.T, _ string, r *safeopen.Root) {
		for path, want := range map[orchestrator.Path]string{"": "abs", "sub/deep": "file"} {
			fd, err := r.OpenDir(path)
			must(t, err)
			d := os.NewFile(uintptr(fd), "dir")
			entries, err := d.ReadDir(-1)
			must(t, errors.Join(err, d.Close()))
			found := false
			for _, e := range entries {
				found = found || e.Name() == want
			}
			if !found {
				t.Errorf("%q does not list %s", path, want)
			}
		}
		for path, want := range map[orchestrator.Path]error{"dirlink": safeopen.ErrSymlink, "dirlink/deep": safeopen.ErrSymlink, "fifo": fs.ErrNotExist} {
			if _, err := r.OpenDir(path); !errors.Is(err, want) {
				t.Errorf("directory %s: got %v, want %v", path, err, want)
			}
		}
	})
}

func TestAChangeWhileReadingIsNoticed(t *testing.T) {
	for name, change := range map[string]func(file string) error{
		"append":         func(file string) error { return appendTo(file, "more") },
		"same size":      func(file string) error { return os.WriteFile(file, []byte("CONTENT"), 0o644) },
		"truncate":       func(file string) error { return os.Truncate(file, 0) },
		"touch":          func(file string) error { return os.Chtimes(file, time.Time{}, time.Unix(1, 0)) },
		"executable bit": func(file string) error { return os.Chmod(file, 0o755) },
		"time put back":  putBack,
	} {
		both(t, func(t *testing.T, dir string, r *safeopen.Root) {
			file := filepath.Join(dir, "sub/deep/file")
			old := time.Now().Add(-time.Hour)
			must(t, os.Chtimes(file, old, old))
			f, err := r.Open("sub/deep/file")
			must(t, err)
			must(t, change(file))
			if err := f.Unchanged(); !errors.Is(err, safeopen.ErrChanged) {
				t.Errorf("%s: got %v, want ErrChanged", name, err)
			}
			must(t, f.Close())
		})
	}
}

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func putBack(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(file, []byte("CONTENT"), 0o644), os.Chtimes(file, info.ModTime(), info.ModTime()))
}

func TestTheRootMayNotBeASymlink(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink(dir, filepath.Join(dir, "link")))
	if _, err := safeopen.OpenRoot(filepath.Join(dir, "link")); err == nil {
		t.Error("a symlink was opened as root")
	}
	if _, err := safeopen.OpenRoot(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// While a directory is swapped for a symlink to a place outside and back, no
// reader ever gets to the outside.
func TestASwapOfADirectoryForASymlinkNeverLeaks(t *testing.T) {
	both(t, func(t *testing.T, dir string, r *safeopen.Root) {
		outside := filepath.Join(filepath.Dir(dir), "outside")
		must(t, os.MkdirAll(filepath.Join(outside, "deep"), 0o755))
		must(t, os.WriteFile(filepath.Join(outside, "deep", "file"), []byte("outside"), 0o644))
		must(t, os.Symlink(outside, filepath.Join(dir, "trap")))
		stop, stopped := make(chan struct{}), make(chan error, 1)
		go func() {
			for {
				select {
				case <-stop:
					stopped <- nil
					return
				default:
				}
				err := unix.Renameat2(unix.AT_FDCWD, filepath.Join(dir, "sub"), unix.AT_FDCWD, filepath.Join(dir, "trap"), unix.RENAME_EXCHANGE)
				if err != nil {
					stopped <- err
					return
				}
			}
		}()
		for range 5000 {
			f, err := r.Open("sub/deep/file")
			if err != nil {
				continue
			}
			content, err := io.ReadAll(f)
			if string(content) != "content" || err != nil {
				t.Errorf("read %q, %v", content, err)
			}
			must(t, f.Close())
		}
		close(stop)
		must(t, <-stopped)
	})
}

func FuzzPath(f *testing.F) {
	for _, path := range []string{"a", "../x", "a/b", "/", "a//b", "./a", "a\x00", "up/secret"} {
		f.Add(path)
	}
	top := f.TempDir()
	dir := filepath.Join(top, "tree")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(top, "secret"), nil, 0o644), os.Symlink("..", filepath.Join(dir, "up"))); err != nil {
		f.Fatal(err)
	}
	r1, err1 := safeopen.OpenRoot(dir)
	r2, err2 := safeopen.OpenRootByWalking(dir)
	if err := errors.Join(err1, err2); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		for _, r := range []*safeopen.Root{r1, r2} {
			if _, err := r.Open(orchestrator.Path(path)); err == nil {
				t.Errorf("%q was opened below a directory without files", path)
			}
		}
	})
}

func BenchmarkLstat(b *testing.B) {
	dir := b.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "a/b/c"), 0o755), os.WriteFile(filepath.Join(dir, "a/b/c/d"), nil, 0o644)); err != nil {
		b.Fatal(err)
	}
	r, err := safeopen.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := r.Lstat("a/b/c/d"); err != nil {
			b.Fatal(err)
		}
	}
}
