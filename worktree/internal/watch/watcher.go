package watch

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/safeopen"

	"golang.org/x/sys/unix"
)

// Options of a watcher.
type Options struct {
	// Private is a directory of boo's outside the tree. The watcher makes one
	// of its own in it for as long as it lives.
	Private string
	// Skip, if not nil, says which directories are left out with all that is
	// below them. The watcher's goroutine calls it, and during Start two at a
	// time.
	Skip func(dir orchestrator.Path) bool
	// First, if not nil, is called by the watcher's goroutine when something is
	// touched and nothing was since the Drain before, or since Start.
	First func()
	// MaxDirs bounds how many directories are watched, so that one tree does
	// not use up what the system allows a user. 0 means the system's limit only.
	MaxDirs int
}

// ErrLimit says that the system, or [Options.MaxDirs], allows no more watches.
var ErrLimit = errors.New("too many directories to watch")

// Watcher watches one tree. Drain may be called concurrently.
type Watcher struct {
	opts    Options
	path    string         // of the tree
	inode   inode          // of the tree
	root    *safeopen.Root // while directories are visited
	fd      int            // of the inotify instance
	queue   *os.File       // the same, through Go's poller
	private string
	barrier int32 // watch of the private directory

	dirs *dirs // owned by the goroutine once Start has returned
	size int   // how many there were at Start

	drain chan uint64   // holds the number of the last barrier while nobody drains
	stop  chan struct{} // closed by Close
	done  chan struct{} // closed when the goroutine has ended
	once  sync.Once
	end   error // what Close returns

	mu     sync.Mutex
	dirty  dirty
	passed uint64        // the newest barrier that was read
	moved  chan struct{} // closed and made anew when passed or lost changes
}

// Start watches the tree below root, and returns when every directory of it is
// watched. The error wraps [ErrLimit] when there are too many.
func Start(root string, opts Options) (*Watcher, error) {
	w := &Watcher{
		opts: opts, path: root, dirs: newDirs(), dirty: newDirty(),
		drain: make(chan uint64, 1), stop: make(chan struct{}), done: make(chan struct{}), moved: make(chan struct{}),
	}
	if err := w.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("watch %s: %w", root, err), w.release())
	}
	if err := w.walk(); err != nil {
		return nil, errors.Join(fmt.Errorf("watch %s: %w", root, err), w.release())
	}
	w.size = len(w.dirs.byPath)
	if err := w.leave(); err != nil {
		return nil, errors.Join(fmt.Errorf("watch %s: %w", root, err), w.release())
	}
	w.drain <- 0
	go w.run()
	return w, nil
}

// open makes the inotify instance, its barrier and the handle of the tree.
func (w *Watcher) open() (err error) {
	if w.root, err = safeopen.OpenRoot(w.path); err != nil {
		return err
	}
	w.inode = inodeOf(w.path)
	w.fd, err = unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if errors.Is(err, unix.EMFILE) {
		return fmt.Errorf("%w: %w", ErrLimit, err)
	}
	if err != nil {
		return err
	}
	w.queue = os.NewFile(uintptr(w.fd), "inotify")
	if w.private, err = os.MkdirTemp(w.opts.Private, "watch-*"); err != nil {
		return err
	}
	first, err := os.OpenFile(barrierName(w.private, 0), os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	wd, err := unix.InotifyAddWatch(w.fd, w.private, unix.IN_MOVED_TO|unix.IN_ONLYDIR)
	w.barrier = int32(wd)
	return errors.Join(watchError(err), first.Close())
}

// inode tells one directory from another of the same name.
type inode struct{ dev, ino uint64 }

// inodeOf returns the zero inode for what is not there.
func inodeOf(path string) inode {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return inode{}
	}
	return inode{st.Dev, st.Ino}
}

// watchError gives inotify's way to say "no more" its name.
func watchError(err error) error {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.ENOMEM) {
		return fmt.Errorf("%w: %w", ErrLimit, err)
	}
	return err
}

// Size is how many directories were watched when Start returned.
func (w *Watcher) Size() int { return w.size }

// enter opens the tree for visits. Between visits it is not held open: whoever
// looks for processes that work in it finds none.
func (w *Watcher) enter() (err error) {
	if w.root, err = safeopen.OpenRoot(w.path); err != nil {
		return err
	}
	if inodeOf(w.path) != w.inode {
		return errors.Join(errMoved, w.leave())
	}
	return nil
}

var errMoved = errors.New("another directory is there now")

func (w *Watcher) leave() error {
	root := w.root
	w.root = nil
	return root.Close()
}

// release frees what open made.
func (w *Watcher) release() error {
	var errs []error
	if w.queue != nil {
		errs = append(errs, w.queue.Close())
	}
	if w.private != "" {
		errs = append(errs, os.RemoveAll(w.private))
	}
	if w.root != nil {
		errs = append(errs, w.root.Close())
	}
	return errors.Join(errs...)
}

// Close ends the watcher and waits for its goroutine. A Drain under way returns
// [os.ErrClosed]. Closing again does nothing.
func (w *Watcher) Close() error {
	w.once.Do(func() {
		close(w.stop)
		// Wakes the goroutine; it is the only one that uses the descriptor, so
		// the descriptor is closed after it has ended.
		_ = w.queue.SetReadDeadline(time.Unix(1, 0))
		<-w.done
		w.end = w.release()
	})
	<-w.done
	return w.end
}
