package pending

import (
	"errors"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// barrier brings files and directories of one file system to the disk in one
// go: a few of them at the same time, so that the file system writes its
// journal once for all, and many by syncing all of the file system.
type barrier struct {
	top  dir // any directory there
	fds  []int
	many bool
}

// few is how many files are synced one by one.
const few = 32

// add has the file or directory called name in d synced.
func (b *barrier) add(d dir, name string) error {
	if b.many {
		return nil
	}
	if len(b.fds) == few {
		b.many = true
		return b.close()
	}
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return wrap("open", name, err)
	}
	b.fds = append(b.fds, fd)
	return nil
}

// wait returns when everything that was added is on the disk.
func (b *barrier) wait() error {
	if b.many {
		return wrap("sync", "", unix.Syncfs(b.top.fd))
	}
	errs := make(chan error, len(b.fds))
	for _, fd := range b.fds {
		go func() { errs <- unix.Fsync(fd) }()
	}
	var err error
	for range b.fds {
		err = errors.Join(err, <-errs)
	}
	return errors.Join(wrap("sync", "", err), b.close())
}

func (b *barrier) close() error {
	var err error
	for _, fd := range b.fds {
		err = errors.Join(err, unix.Close(fd))
	}
	b.fds = nil
	return err
}

// addParents adds the directories that the paths are in, where there are any.
func (b *barrier) addParents(t *tree, paths []orchestrator.Path) error {
	done := map[orchestrator.Path]bool{}
	for _, p := range paths {
		parent, _ := split(p)
		if done[parent] || b.many {
			continue
		}
		done[parent] = true
		d, _, err := t.parent(p)
		if isNoDir(err) {
			continue // it made way itself
		}
		if err != nil {
			return errors.Join(err, b.close())
		}
		if err := b.add(d, "."); err != nil {
			return errors.Join(err, b.close())
		}
	}
	return nil
}
