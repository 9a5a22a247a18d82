package dircache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"boo/worktree/internal/pack/objectid"

	"golang.org/x/sys/unix"
)

// maxFile bounds what is read into memory: an index of ten million files.
const maxFile = 1 << 30

// Read reads the index file at path. A file that is not there is reported by an
// error that wraps fs.ErrNotExist.
func Read(path string, format objectid.Format) (*Index, error) {
	// An agent may have put anything there: never follow, never block.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("stat index: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, corrupt("%s is not a regular file of at most %d bytes", path, maxFile)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	return Parse(data, format, info.ModTime())
}

// WriteFile puts the index at path in place of what is there, the way git does:
// a lock file beside it, then a rename. The file's modification time becomes
// [Index.AsOf]. It is [ErrLocked] when someone else holds the lock. Nothing is
// synced: an index can be made again.
func (x *Index) WriteFile(path string) (err error) {
	data, err := x.Encode()
	if err != nil {
		return err
	}
	lock := path + ".lock"
	f, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write %s: %w", path, ErrLocked)
	}
	if err != nil {
		return fmt.Errorf("lock index: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(lock)
		}
	}()
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	if err := os.Chtimes(lock, x.asOf, x.asOf); err != nil {
		return fmt.Errorf("set time of index: %w", err)
	}
	if err := os.Rename(lock, path); err != nil {
		return fmt.Errorf("put index in place: %w", err)
	}
	return nil
}
