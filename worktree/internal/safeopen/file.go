package safeopen

import (
	"errors"
	"fmt"
	"io"

	"boo/orchestrator"

	"golang.org/x/sys/unix"
)

// ErrChanged says that a file was written to, or its metadata changed, while it
// was read.
var ErrChanged = errors.New("file changed while it was read")

// File is a regular file that is being read. One goroutine uses it.
type File struct {
	fd     int
	path   orchestrator.Path
	before unix.Stat_t
}

// Open opens the regular file at path for reading. A symlink is
// [ErrNotRegular], as everything else that is no regular file.
func (r *Root) Open(path orchestrator.Path) (*File, error) {
	// Without O_NONBLOCK, opening a named pipe would wait for its writer.
	fd, err := r.open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) {
		err = r.lastPart(path, err)
	}
	if err != nil {
		return nil, refused("open", path, err)
	}
	f := &File{fd: fd, path: path}
	if err := unix.Fstat(fd, &f.before); err != nil {
		return nil, refused("open", path, errors.Join(err, f.Close()))
	}
	if f.before.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, refused("open", path, errors.Join(ErrNotRegular, f.Close()))
	}
	return f, nil
}

// lastPart tells a symlink or socket at the end of a path, which is of the
// wrong kind, from one in its middle.
func (r *Root) lastPart(path orchestrator.Path, err error) error {
	if _, lerr := r.Lstat(path); lerr == nil {
		return ErrNotRegular
	}
	return err
}

// Rewind lets Read begin at the first byte again.
func (f *File) Rewind() error {
	if _, err := unix.Seek(f.fd, 0, io.SeekStart); err != nil {
		return refused("rewind", f.path, err)
	}
	return nil
}

// Read reads the next bytes.
func (f *File) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := retry(func() (int, error) { return unix.Read(f.fd, p) })
	switch {
	case err != nil:
		return 0, refused("read", f.path, err)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// Fd returns the descriptor, which stays the file's own.
func (f *File) Fd() int { return f.fd }

// Stat returns what the file was when it was opened.
func (f *File) Stat() *unix.Stat_t { return &f.before }

// Unchanged returns [ErrChanged] unless the file is still as it was when it was
// opened: what was read in between is then one state of it. Writes through a
// mapping that are not yet synced, and a second write within one tick of the
// clock on kernels before 6.13, leave no trace to see.
func (f *File) Unchanged() error {
	var now unix.Stat_t
	if err := unix.Fstat(f.fd, &now); err != nil {
		return refused("stat", f.path, err)
	}
	b := &f.before
	if now.Size != b.Size || now.Mtim != b.Mtim || now.Ctim != b.Ctim || now.Mode != b.Mode {
		return fmt.Errorf("read %s: %w", f.path, ErrChanged)
	}
	return nil
}

// Close closes the file.
func (f *File) Close() error { return unix.Close(f.fd) }
