package pending

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// writeRaw writes a new file at p with exactly the bytes of a blob, and the
// permissions that git would give it. Nothing is synced.
func (t *tree) writeRaw(p orchestrator.Path, mode orchestrator.FileMode, blob func(io.Writer) error) error {
	d, name, err := t.makeParent(p)
	if err != nil {
		return err
	}
	return d.writeRaw(name, mode, blob)
}

func (d dir) writeRaw(name string, mode orchestrator.FileMode, blob func(io.Writer) error) error {
	if mode == orchestrator.ModeSymlink {
		var target limited
		if err := blob(&target); err != nil {
			return err
		}
		return wrap("make symlink", name, unix.Symlinkat(string(target), d.fd, name))
	}
	perm := uint32(0o666)
	if mode == orchestrator.ModeExec {
		perm = 0o777
	}
	fd, err := unix.Openat(d.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, perm)
	if err != nil {
		return wrap("make", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	return errors.Join(blob(f), f.Close())
}
