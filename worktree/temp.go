package worktree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// What an engine needs for a while lies in a directory of its own below tmp, which
// its process keeps locked. So whoever comes next knows what was left by one that
// was killed, and takes it away.

// temp is that directory, made when it is first needed.
type temp struct {
	mu   sync.Mutex
	held *os.File // the lock goes with the process, or with the engine
}

// livePrefix begins the names of such directories.
const livePrefix = "of-"

// in returns the directory below dir.
func (t *temp) in(dir string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held != nil {
		if _, err := os.Lstat(t.held.Name()); err == nil {
			return t.held.Name(), nil
		}
		_ = t.held.Close() // somebody cleared up
		t.held = nil
	}
	for t.held == nil {
		name, err := os.MkdirTemp(dir, livePrefix)
		if err != nil {
			return "", err
		}
		held, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			continue // taken for one that was left
		}
		if err != nil {
			return "", err
		}
		// Where there are no locks, age has to tell.
		_ = syscall.Flock(int(held.Fd()), syscall.LOCK_EX)
		mine, err := held.Stat()
		if now, gone := os.Stat(name); err != nil || gone != nil || !os.SameFile(mine, now) {
			_ = held.Close()
			continue
		}
		t.held = held
	}
	return t.held.Name(), nil
}

// tempHome is the directory for what the engine needs for a while.
func (e *Engine) tempHome() (string, error) { return e.temp.in(filepath.Join(e.dir, "tmp")) }

// tempDir makes a directory for one call; the caller removes it.
func (e *Engine) tempDir(kind string) (dir string, remove func(), err error) {
	home, err := e.tempHome()
	if err == nil {
		dir, err = os.MkdirTemp(home, kind+"-")
	}
	if err != nil {
		return "", nil, fmt.Errorf("make a temporary directory: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// dropStale removes what a boo that died left among the temporary directories.
func dropStale(dir string, before time.Time) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		info, err := entry.Info()
		old := err == nil && info.ModTime().Before(before)
		if !strings.HasPrefix(entry.Name(), livePrefix) {
			if old {
				_ = os.RemoveAll(name) // tried again the next time
			}
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil, old && !errors.Is(err, syscall.EWOULDBLOCK):
			_ = os.RemoveAll(name)
		}
		_ = f.Close()
	}
}
