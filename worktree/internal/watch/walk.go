package watch

import (
	"sync"

	"boo/orchestrator"
)

// walkers is how many goroutines Start lists directories with. More than two
// were no faster on the machines measured: the kernel's locks are the limit.
const walkers = 2

// listBuffer is as much of a directory as is listed by one call.
const listBuffer = 32 << 10

// walk watches the whole tree. It is the only time that dirs is shared.
func (w *Watcher) walk() error {
	t := &todo{paths: []orchestrator.Path{""}}
	t.ready.L = &t.mu
	var wg sync.WaitGroup
	for range walkers {
		wg.Go(func() {
			buf := make([]byte, listBuffer)
			for {
				path, more := t.next()
				if !more {
					return
				}
				found, err := w.visit(path, false, buf)
				if gone(err) && path != "" {
					found, err = listing{}, nil
					found.wd = -1
				}
				t.finish(w, path, found, err)
			}
		})
	}
	wg.Wait()
	return t.err
}

// todo is the work that the walkers share.
type todo struct {
	mu    sync.Mutex
	ready sync.Cond
	paths []orchestrator.Path
	busy  int
	err   error
}

// next waits for a directory to visit; more is false when all is done.
func (t *todo) next() (path orchestrator.Path, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.paths) == 0 && t.busy > 0 && t.err == nil {
		t.ready.Wait()
	}
	if len(t.paths) == 0 || t.err != nil {
		return "", false
	}
	t.busy++
	path = t.paths[len(t.paths)-1]
	t.paths = t.paths[:len(t.paths)-1]
	return path, true
}

// finish takes in what a visit found.
func (t *todo) finish(w *Watcher, path orchestrator.Path, found listing, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy--
	t.ready.Broadcast()
	if err == nil && found.wd >= 0 {
		w.dirs.add(path, found.wd)
		w.dirty.nestedGit = w.dirty.nestedGit || found.nestedGit
		t.paths = append(t.paths, found.dirs...)
		if w.full() {
			err = ErrLimit
		}
	}
	if t.err == nil {
		t.err = err
	}
}

// full reports whether more directories are watched than the options allow.
func (w *Watcher) full() bool {
	return w.opts.MaxDirs > 0 && len(w.dirs.byPath) > w.opts.MaxDirs
}
