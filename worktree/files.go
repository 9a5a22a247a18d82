package worktree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mostOfGit is more than any file is in which git keeps its books.
const mostOfGit = 1 << 30

// readSmall reads a regular file of at most limit bytes. It opens no symlink,
// fifo or device.
func readSmall(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
	return content, err
}

// replaceFile makes content the content of path, atomically, unless it is so
// already. It is not synced: what it writes can be rebuilt.
func replaceFile(path string, content []byte) error {
	// An agent may have put a pipe there.
	if old, err := readSmall(path, int64(len(content))); err == nil && bytes.Equal(old, content) {
		return nil
	}
	return renameInto(path, content)
}

// renameInto writes a file beside its place, and then puts it there.
func renameInto(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// recycleInto is renameInto for a file that is written again and again: what it
// replaces becomes the next one, and is called path+".was" meanwhile. To make a
// file, and to free one, takes some file systems longer than to write it. Who
// reads the file while it is replaced twice may find a part of either.
func recycleInto(path string, content []byte) error {
	was := path + ".was"
	f, err := os.OpenFile(was, os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		f, err = os.CreateTemp(filepath.Dir(path), ".new-")
	}
	if err != nil {
		return err
	}
	err = overwrite(f, content)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	switch {
	case unix.Renameat2(unix.AT_FDCWD, f.Name(), unix.AT_FDCWD, path, unix.RENAME_EXCHANGE) != nil:
		err = os.Rename(f.Name(), path) // the first one, or it cannot be done here
	case f.Name() != was:
		err = os.Rename(f.Name(), was)
	}
	return err
}

// overwrite makes content all that is in a file.
func overwrite(f *os.File, content []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(content, 0); err != nil || info.Size() <= int64(len(content)) {
		return err
	}
	return f.Truncate(int64(len(content)))
}

// copyIndex copies an index with its modification time: git compares that
// with the times of the files in it to know which of them it must not trust
// (Documentation/technical/racy-git).
func copyIndex(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy the index: %w", err)
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return fmt.Errorf("copy the index: %w", err)
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("copy the index: %w", err)
	}
	_, err = io.Copy(dst, src)
	if err := errors.Join(err, dst.Close(), os.Chtimes(to, time.Time{}, info.ModTime())); err != nil {
		return fmt.Errorf("copy the index: %w", err)
	}
	return nil
}

// lstatBelow is Lstat of a path below root that goes through no symlink: what
// lies behind one, or behind a file, is not there.
func lstatBelow(root, path string) (fs.FileInfo, error) {
	at := root
	parts := strings.Split(path, "/")
	for _, part := range parts[:len(parts)-1] {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fs.ErrNotExist
		}
	}
	return os.Lstat(filepath.Join(at, parts[len(parts)-1]))
}

// sameTrailer reports whether two regular files end in the same size bytes.
func sameTrailer(a, b string, size int) bool {
	x, errA := trailer(a, size)
	y, errB := trailer(b, size)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

func trailer(path string, size int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() < int64(size) {
		return nil, fmt.Errorf("%s has no trailer: %w", path, err)
	}
	end := make([]byte, size)
	_, err = f.ReadAt(end, info.Size()-int64(size))
	if err == nil && bytes.Count(end, []byte{0}) == size {
		err = fmt.Errorf("%s has no checksum", path) // index.skipHash
	}
	return end, err
}
