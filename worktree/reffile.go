package worktree

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"boo/orchestrator"
)

// errRefs says that refs are kept in a form that only git reads or writes here.
var errRefs = errors.New("refs are kept in another form")

// refValue reads a ref below refs/boo/ in process: its own file, or else the
// packed refs (gitrepository-layout(5)). It is "" when there is none.
func refValue(common orchestrator.GitDir, name string) (orchestrator.ObjectID, error) {
	path := filepath.Join(string(common), filepath.FromSlash(name))
	content, err := readSmall(path, 4<<10)
	if err == nil {
		return orchestrator.ParseObjectID(strings.TrimSpace(string(content)))
	}
	if info, lookErr := os.Lstat(path); lookErr == nil && !info.IsDir() {
		return "", err
	}
	if _, err := os.Lstat(filepath.Join(string(common), "reftable")); err == nil {
		return "", errRefs
	}
	return packedValue(filepath.Join(string(common), "packed-refs"), name)
}

func packedValue(path, name string) (orchestrator.ObjectID, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) > len(name) && string(line[len(line)-len(name):]) == name && line[len(line)-len(name)-1] == ' ' {
			return orchestrator.ParseObjectID(string(line[:len(line)-len(name)-1]))
		}
	}
	return "", lines.Err()
}

// writeRef moves a ref to a commit, the way git does: under a lock file beside it,
// which becomes the ref, once settle has brought to the disk what it leads to.
// When it returns nil the ref is on disk. CodeConflict when the ref is not at the
// old commit.
func writeRef(ctx context.Context, common orchestrator.GitDir, m move, settle func() error) (err error) {
	// A repository that a group shares needs modes that git knows.
	if info, err := os.Stat(objectsOf(common)); err != nil || info.Mode()&os.ModeSetgid != 0 {
		return errRefs
	}
	path := filepath.Join(string(common), filepath.FromSlash(m.ref))
	lock, err := lockRef(ctx, path)
	if err != nil {
		return err
	}
	placed := false
	defer func() {
		if !placed {
			_ = os.Remove(lock.Name()) // a stale lock is broken the next time
		}
		_ = lock.Close() // what was written is synced
	}()
	now, err := refValue(common, m.ref)
	if err == nil && now != m.old {
		err = orchestrator.Errorf(orchestrator.CodeConflict, "%s was moved by somebody else", m.ref)
	}
	if err != nil {
		return err
	}
	_, err = lock.WriteString(string(m.new) + "\n")
	// At the same time: file systems with a journal then write it once.
	settled := make(chan error, 1)
	go func() { settled <- settle() }()
	if err := errors.Join(err, lock.Sync(), <-settled); err != nil {
		return fmt.Errorf("write %s: %w", m.ref, err)
	}
	if err := os.Rename(lock.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", m.ref, err)
	}
	placed = true
	// Not before: a boo that is killed leaves a lock that is known for its own.
	return errors.Join(unmark(lock), syncDirs(filepath.Dir(path), m.old == "", filepath.Join(string(common), "refs")))
}

// syncDirs brings a directory to the disk, and where it may be new those above
// it up to top.
func syncDirs(dir string, above bool, top string) error {
	for {
		f, err := os.Open(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // git has packed its refs meanwhile, and sees to it that they are on disk
		}
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("sync %s: %w", dir, err)
		}
		if !above || len(dir) <= len(top) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}
