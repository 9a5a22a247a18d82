package pending

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// dir is an open directory. Everything in the checkout is reached from such a
// handle, one component at a time and never through a symlink, so that a link
// planted before or while boo writes cannot lead it elsewhere.
type dir struct{ fd int }

func openDir(path string) (dir, error) {
	fd, err := retry(func() (int, error) { return unix.Open(path, dirFlags, 0) })
	if err != nil {
		return dir{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return dir{fd}, nil
}

const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC

func (d dir) close() { _ = unix.Close(d.fd) }

// child opens a directory in d; a symlink there is ENOTDIR or ELOOP.
func (d dir) child(name string) (dir, error) {
	fd, err := retry(func() (int, error) { return unix.Openat(d.fd, name, dirFlags|unix.O_NOFOLLOW, 0) })
	if err != nil {
		return dir{}, &fs.PathError{Op: "open directory", Path: name, Err: err}
	}
	return dir{fd}, nil
}

func (d dir) mkdir(name string, perm uint32) error {
	return wrap("make directory", name, unix.Mkdirat(d.fd, name, perm))
}

func (d dir) rmdir(name string) error {
	return wrap("remove directory", name, unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR))
}

func (d dir) remove(name string) error {
	return wrap("remove", name, unix.Unlinkat(d.fd, name, 0))
}

// rename moves name into to, replacing what has that name there.
func (d dir) rename(name string, to dir, as string) error {
	return wrap("move", name, unix.Renameat(d.fd, name, to.fd, as))
}

// link gives the file a second name in to; EEXIST if the name is taken, so
// nothing is ever replaced by it. A symlink is linked, not followed.
func (d dir) link(name string, to dir, as string) error {
	return wrap("place", as, unix.Linkat(d.fd, name, to.fd, as, 0))
}

func (d dir) sync() error {
	return wrap("sync directory", "", unix.Fsync(d.fd))
}

// names lists what is in d, in no order.
func (d dir) names() ([]string, error) {
	again, err := d.child(".")
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(again.fd), "directory")
	defer f.Close()
	return f.Readdirnames(-1)
}

// identity tells one state of one file from every other.
type identity struct {
	dev, ino     uint64
	size         int64
	mtime, ctime unix.Timespec
}

// found is what stands at a name.
type found struct {
	identity
	kind kind
	exec bool
}

type kind int

const (
	nothing kind = iota
	file
	link
	directory
	special // fifo, socket, device
)

// look tells what name is, without following it.
func (d dir) look(name string) (found, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if errors.Is(err, unix.ENOENT) {
		return found{}, nil
	}
	if err != nil {
		return found{}, wrap("look at", name, err)
	}
	f := found{identity: identity{uint64(st.Dev), st.Ino, st.Size, st.Mtim, st.Ctim}} //nolint:unconvert // Dev is narrower on other systems
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		f.kind, f.exec = file, st.Mode&0o100 != 0
	case unix.S_IFLNK:
		f.kind = link
	case unix.S_IFDIR:
		f.kind = directory
	default:
		f.kind = special
	}
	return f, nil
}

// raw names the bytes of a file, or of a symlink's target, as git would name a
// blob of them; width is the number of digits of the repository's ids.
func (d dir) raw(name string, width int) (orchestrator.ObjectID, error) {
	at, err := d.look(name)
	if err != nil {
		return "", err
	}
	content, err := d.read(name, at.kind)
	if err != nil {
		return "", err
	}
	defer content.Close()
	return blobID(content, at.size, width)
}

// read opens a file, or the target of a symlink, for reading.
func (d dir) read(name string, k kind) (io.ReadCloser, error) {
	if k == link {
		return d.readLink(name)
	}
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return nil, wrap("open", name, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("open %s: %w", orchestrator.Path(name), errors.Join(err, errChanged))
	}
	return regularFile(fd), nil
}

// regularFile is a regular file that is being read. An [os.File] costs more
// calls to the system than a small file does.
type regularFile int

// Read implements [io.Reader].
func (f regularFile) Read(p []byte) (int, error) {
	n, err := retry(func() (int, error) { return unix.Read(int(f), p) })
	if err != nil {
		return 0, err
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close implements [io.Closer].
func (f regularFile) Close() error { return unix.Close(int(f)) }

func wrap(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: orchestrator.Path(name).String(), Err: err}
}

// retry repeats a call that a signal cut short.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
