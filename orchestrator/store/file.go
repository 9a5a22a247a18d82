package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// makeFile sees to it that the file is there and nobody else's to read: SQLite
// would make it with the permissions that the umask leaves, and it gives the
// files beside it the permissions that this one has.
func makeFile(path string) error {
	info, err := os.Stat(path)
	if err == nil {
		if info.Mode().Perm()&0o077 != 0 {
			return os.Chmod(path, info.Mode().Perm()&0o700)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	_ = syncPath(filepath.Dir(dir)) // which need not be ours to read
	return syncPath(dir)
}

// syncPath puts a file's content or a directory's entries on disk.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
