package worktree

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
	"boo/worktree/internal/safeopen"
)

// beside makes files that are to come into a checkout: without a name, in the
// directories that they are going to, and named in another directory once they are
// written. So each has the group, the access list and the place on the disk of the
// directory it goes to, and those that write at the same time do not wait for each
// other, as they do in one directory.
type beside struct {
	checkout *safeopen.Root
	to       *os.File
}

// newBeside returns nil where the file system of dir cannot do that, or is not that
// of the checkout.
func newBeside(checkout *safeopen.Root, dir string) *beside {
	to, err := os.Open(dir)
	if err != nil {
		return nil
	}
	b := &beside{checkout, to}
	const probe = ".probe"
	f, err := b.create("", probe, 0o600)
	if err == nil {
		err = errors.Join(f.Close(), unix.Unlinkat(int(to.Fd()), probe, 0))
	}
	if err != nil {
		b.close()
		return nil
	}
	return b
}

func (b *beside) close() {
	if b != nil {
		_ = b.to.Close()
	}
}

// create makes a file in the checkout's directory at parent, which has to be there;
// closing it names it.
func (b *beside) create(parent orchestrator.Path, name string, perm os.FileMode) (io.WriteCloser, error) {
	dir, err := b.checkout.OpenDir(parent)
	if err != nil {
		return nil, err
	}
	fd, err := unix.Openat(dir, ".", unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, uint32(perm))
	_ = unix.Close(dir)
	if err != nil {
		return nil, err
	}
	return &nameless{fd: fd, to: int(b.to.Fd()), name: name}, nil
}

// nameless is a file that gets its name when it is closed.
type nameless struct {
	fd, to int
	name   string
}

// Write implements [io.Writer].
func (f *nameless) Write(p []byte) (int, error) {
	for done := 0; done < len(p); {
		n, err := unix.Write(f.fd, p[done:])
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return done, fmt.Errorf("write %s: %w", f.name, err)
		default:
			done += n
		}
	}
	return len(p), nil
}

// Close implements [io.Closer].
func (f *nameless) Close() error {
	err := unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.fd), f.to, f.name, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		err = fmt.Errorf("name %s: %w", f.name, err)
	}
	return errors.Join(err, unix.Close(f.fd))
}
