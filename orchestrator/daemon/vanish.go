package daemon

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// vanished returns a channel that is closed when the lock that the caller holds
// for life is not at its path any more: the data directory was removed or moved,
// or somebody unlinked the file. The kernel tells; nothing is polled. stop ends
// the watch, and waits for it.
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
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, nil, fmt.Errorf("watch %s: %w", path, err)
	}
	f := os.NewFile(uintptr(fd), "inotify")
	const leaves = unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	for _, dir := range []string{p.Data, locks.dir} {
		if _, err := unix.InotifyAddWatch(fd, dir, leaves|unix.IN_ONLYDIR); err != nil {
			_ = f.Close()
			return nil, nil, fmt.Errorf("watch %s: %w", dir, err)
		}
	}
	closed := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		buf := make([]byte, 4096)
		for {
			if _, err := f.Read(buf); err != nil {
				return // the watch was ended
			}
			if now, err := os.Lstat(path); err != nil || !os.SameFile(ours, now) {
				close(closed)
				return
			}
		}
	})
	return closed, func() {
		_ = f.Close()
		reader.Wait()
	}, nil
}
