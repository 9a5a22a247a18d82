package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"boo/orchestrator"
)

// Locks implements [orchestrator.Locks] on the files of one directory. All
// processes that use the same directory exclude each other. It has no state of
// its own, and its methods may be called concurrently.
type Locks struct{ dir string }

// NewLocks returns the locks in dir, which is made if it is not there, and
// closed to others (0700) if it is. Errors: CodeDenied, CodeFull.
func NewLocks(dir string) (*Locks, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, refused(dir, err)
	}
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(dir, 0o700)
	}
	if err != nil {
		return nil, refused(dir, err)
	}
	return &Locks{dir: dir}, nil
}

// How long a waiter sleeps between two tries, at first and at most, and from which
// sleep on it is worth telling.
const (
	firstWait   = time.Millisecond
	tellingWait = 64 * time.Millisecond
	longestWait = 100 * time.Millisecond
)

// Lock waits for the lock. waiting is called once, when it was not free for a
// moment. release may be called more than once.
func (l *Locks) Lock(ctx context.Context, name string, waiting func()) (release func(), err error) {
	for wait := time.Duration(0); ; wait = min(max(2*wait, firstWait), longestWait) {
		if wait == tellingWait {
			waiting()
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil, orchestrator.Errorf(orchestrator.CodeInterrupted, "wait for lock %s: %w", name, context.Cause(ctx))
		}
		release, ok, err := l.TryLock(name)
		if err != nil || ok {
			return release, err
		}
	}
}

// TryLock returns ok == false at once if somebody holds the lock.
func (l *Locks) TryLock(name string) (release func(), ok bool, err error) {
	path, err := l.path(name)
	if err != nil {
		return nil, false, err
	}
	f, err := take(path)
	if err != nil || f == nil {
		return nil, false, refused(l.dir, err)
	}
	fence()
	sign(f)
	return sync.OnceFunc(func() {
		_ = f.Truncate(0) // nobody to speak of any more
		fence()
		// Closing alone would leave it held by a child that is being started: until
		// its exec that has the descriptor too.
		_ = flock(f, syscall.LOCK_UN)
		_ = f.Close()
	}), true, nil
}

// fence makes what one holder wrote to memory visible to the next one in the
// same process: to Go's memory model, what happens in the kernel orders nothing.
func fence() {
	memory.Lock()
	defer memory.Unlock()
}

var memory sync.Mutex

// take opens and locks the file at path; nil if somebody else holds it.
func take(path string) (*os.File, error) {
	for {
		// os opens every file so that it is closed on exec.
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, err
		}
		err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil && stands(f, path) {
			return f, nil
		}
		_ = f.Close()
		switch {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, nil
		case err != nil:
			return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
		}
	}
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// stands reports whether f is what is at path still.
func stands(f *os.File, path string) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(ours, there)
}

// refused gives the errors of the file system their codes.
func refused(dir string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return orchestrator.Errorf(orchestrator.CodeFull, "no space is left for a lock in %s: %w", dir, err).
			WithHint("df -h %s", filepath.Dir(dir))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		return orchestrator.Errorf(orchestrator.CodeDenied, "boo may not keep its locks in %s: %w", dir, err).
			WithHint("make %s writable for yourself, or export BOO_HOME=/another/directory", dir)
	}
	return orchestrator.Errorf(orchestrator.CodeInternal, "keep a lock in %s: %w", dir, err)
}
