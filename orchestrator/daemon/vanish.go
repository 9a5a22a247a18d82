package daemon

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// vanished returns a channel that is closed when the lock that the caller holds
// for life is not at its path any more: the data directory was removed or moved,
// or somebody unlinked the file. The kernel tells; where it gives this person no
// more watches, it is looked at now and then. stop ends the watch, and waits for it.
func (p Place) vanished() (gone <-chan struct{}, stop func(), err error) {
	locks, err := p.locks()
	if err != nil {
		return nil, nil, err
	}
	path, err := locks.path(lifeLock)
	if err != nil {
		return nil, nil, err
	}
	ours, err := os.Lstat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("watch %s: %w", path, err)
	}
	if f := awaitLeaving(p.Data, locks.dir); f != nil {
		gone, stop = watched(f, path, ours)
	} else {
		gone, stop = lookedAt(path, ours)
	}
	return gone, stop, nil
}

// lookEvery is how often a lock is looked at that cannot be watched.
const lookEvery = 10 * time.Second

// awaitLeaving returns a file that can be read once something has left one of the
// directories; nil if the kernel has no watch left.
func awaitLeaving(dirs ...string) *os.File {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "inotify")
	const leaves = unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	for _, dir := range dirs {
		if _, err := unix.InotifyAddWatch(fd, dir, leaves|unix.IN_ONLYDIR); err != nil {
			_ = f.Close()
			return nil
		}
	}
	return f
}

// watched looks at path whenever f can be read, which stop closes.
func watched(f *os.File, path string, ours os.FileInfo) (gone <-chan struct{}, stop func()) {
	closed := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		buf := make([]byte, 4096)
		for {
			if _, err := f.Read(buf); err != nil {
				return // the watch was ended
			}
			if !isThere(path, ours) {
				close(closed)
				return
			}
		}
	})
	return closed, func() {
		_ = f.Close()
		reader.Wait()
	}
}

// lookedAt looks at path every so often.
func lookedAt(path string, ours os.FileInfo) (gone <-chan struct{}, stop func()) {
	closed, end := make(chan struct{}), make(chan struct{})
	var looker sync.WaitGroup
	looker.Go(func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				if !isThere(path, ours) {
					close(closed)
					return
				}
			}
		}
	})
	return closed, func() {
		close(end)
		looker.Wait()
	}
}

func isThere(path string, ours os.FileInfo) bool {
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(ours, now)
}
