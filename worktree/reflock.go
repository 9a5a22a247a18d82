package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// The lock of a ref is a file beside it that may be made once, as git's is. That
// of a boo which was killed would be in the way of every boo after it. So boo's
// own are marked from their first moment, by a bit that git never sets, and held
// by flock(2), which ends with its holder. A lock without the mark is git's, and
// is left alone until it is old.

// lockMark is the bit: it means nothing on a file.
const lockMark = fs.ModeSticky

// lockWait is how long a ref that somebody else has locked is waited for. A git that
// packs refs holds each for a moment; on a slow disk that may be seconds.
const lockWait = 10 * time.Second

// lockRef makes the lock file of a ref, and the directories on the way. It is
// held until it is closed.
func lockRef(ctx context.Context, path string) (*os.File, error) {
	deadline := time.NewTimer(lockWait)
	defer deadline.Stop()
	for {
		f, err := os.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666|lockMark)
		switch {
		case err == nil:
			// Where there is no flock, the lock is one like git's.
			flockErr := flock(f)
			if flockErr == nil && isStill(f) {
				return f, nil
			}
			if flockErr != nil && !errors.Is(flockErr, syscall.EWOULDBLOCK) {
				return f, unmark(f)
			}
			_ = f.Close() // somebody took it for a dead one's, and removes it
		case errors.Is(err, fs.ErrNotExist):
			// Git takes directories away that have become empty.
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return nil, err
			}
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		case removeDead(path + ".lock"):
			continue
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-deadline.C:
			return nil, fmt.Errorf("lock %s: somebody else holds it", path)
		case <-time.After(time.Millisecond):
		}
	}
}

// removeDead removes a lock of boo's that nobody holds any more, and reports
// whether it did.
func removeDead(lock string) bool {
	f, err := os.OpenFile(lock, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Mode()&lockMark == 0 {
		return false
	}
	// Held by us, it is what is removed: its maker looks whether it is there still.
	return flock(f) == nil && isStill(f) && os.Remove(lock) == nil
}

func flock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// isStill reports whether a file is the one of its name.
func isStill(f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(mine, there)
}

// unmark gives a lock that has become the ref the mode of one. A ref keeps its
// mark if boo is killed before; git does not mind.
func unmark(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return f.Chmod(info.Mode().Perm())
}
