package watch

import (
	"encoding/binary"
	"errors"
	"strings"

	"boo/orchestrator"

	"golang.org/x/sys/unix"
)

// run reads the queue until it is closed or the watcher is lost.
func (w *Watcher) run() {
	defer close(w.done)
	buf := make([]byte, 64<<10)
	list := make([]byte, listBuffer)
	for {
		n, err := w.queue.Read(buf)
		if err != nil {
			return // Close set the deadline
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			var e event
			e, rest = cutEvent(rest)
			w.handle(e, list)
		}
		if _, lost, _ := w.state(); lost != NotLost {
			w.unwatchAll()
			return
		}
	}
}

// event is one inotify_event (inotify(7)).
type event struct {
	wd   int32
	mask uint32
	name string
}

func cutEvent(b []byte) (e event, rest []byte) {
	e.wd = int32(binary.NativeEndian.Uint32(b))
	e.mask = binary.NativeEndian.Uint32(b[4:])
	end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
	e.name, _, _ = strings.Cut(string(b[unix.SizeofInotifyEvent:end]), "\x00")
	return e, b[end:]
}

func (w *Watcher) handle(e event, list []byte) {
	if e.mask&unix.IN_Q_OVERFLOW != 0 {
		w.lose(Overflow)
		return
	}
	if e.wd == w.barrier {
		if e.mask&unix.IN_MOVED_TO != 0 {
			w.arrived(e.name)
		}
		return
	}
	d := w.dirs.byWatch[e.wd]
	switch {
	case d == nil: // of a directory that was let go
	case e.name == "":
		w.handleSelf(d, e)
	case e.name == ".git":
		if d.path != "" {
			w.touch(func(s *dirty) { s.nestedGit = true; s.trees[d.path] = struct{}{} })
		}
	case e.mask&unix.IN_ISDIR != 0:
		w.handleDir(d.below(e.name), e.mask, list)
	default:
		path, rules := d.below(e.name), isRules(e.name)
		w.touch(func(s *dirty) { s.files[path] = struct{}{}; s.ignoreRules = s.ignoreRules || rules })
	}
}

// handleSelf handles what happens to a watched directory as such. Of all but
// the top, the event in the directory above says the same. Where the top is, if it
// was moved, is asked of the file system when somebody wants to know.
func (w *Watcher) handleSelf(d *dir, e event) {
	if e.mask&unix.IN_UNMOUNT != 0 || d.path == "" && e.mask&(unix.IN_DELETE_SELF|unix.IN_IGNORED) != 0 {
		w.lose(RootGone)
	}
	if e.mask&unix.IN_IGNORED != 0 {
		w.dirs.ignored(e.wd)
	}
}

// handleDir handles a subdirectory that came, went or changed its mode.
func (w *Watcher) handleDir(path orchestrator.Path, mask uint32, list []byte) {
	if w.opts.Skip != nil && w.opts.Skip(path) {
		w.touch(func(s *dirty) { s.skipped = true })
		return
	}
	w.touch(func(s *dirty) { s.trees[path] = struct{}{} })
	if mask&(unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVED_FROM|unix.IN_MOVED_TO) == 0 {
		return
	}
	w.dirs.remove(path, w.unwatch)
	if mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0 {
		w.watchBelow(path, list)
	}
}

// watchBelow watches a directory that came and all below it, and reports the
// files that it finds.
func (w *Watcher) watchBelow(path orchestrator.Path, list []byte) {
	if err := w.enter(); err != nil {
		w.lose(RootGone)
		return
	}
	defer func() { _ = w.leave() }() // it was only read through
	for todo := []orchestrator.Path{path}; len(todo) > 0 && !w.stopping(); {
		path := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		found, err := w.visit(path, true, list)
		switch {
		case gone(err):
			continue // the event of its going is behind in the queue
		case errors.Is(err, ErrLimit):
			w.lose(LimitReached)
			return
		case err != nil:
			w.lose(Unreadable)
			return
		}
		w.dirs.add(path, found.wd)
		todo = append(todo, found.dirs...)
		w.touch(func(s *dirty) {
			for _, file := range found.files {
				s.files[file] = struct{}{}
			}
			for _, dir := range found.dirs {
				s.trees[dir] = struct{}{}
			}
			s.ignoreRules = s.ignoreRules || found.ignoreRules
			s.nestedGit = s.nestedGit || found.nestedGit
		})
		if w.full() {
			w.lose(LimitReached)
			return
		}
	}
}

func (w *Watcher) stopping() bool {
	_, lost, _ := w.state()
	return lost != NotLost || w.closed()
}

// touch notes changes, and gives up when there are too many to hold.
func (w *Watcher) touch(note func(*dirty)) {
	if w.noted(note) && w.opts.First != nil {
		w.opts.First()
	}
}

// noted reports whether nothing was noted before.
func (w *Watcher) noted(note func(*dirty)) (first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	first = w.dirty.quiet()
	note(&w.dirty)
	if len(w.dirty.files)+len(w.dirty.trees) > maxTouched {
		w.loseLocked(Flooded)
	}
	return first
}

func (w *Watcher) lose(why Loss) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.loseLocked(why)
}

func (w *Watcher) loseLocked(why Loss) {
	if w.dirty.lost == NotLost {
		nested := w.dirty.nestedGit
		w.dirty = newDirty()
		w.dirty.nestedGit, w.dirty.lost = nested, why
	}
	w.wake()
}

// unwatch ends a watch. That the kernel has ended it already is no error.
func (w *Watcher) unwatch(wd int32) { _, _ = unix.InotifyRmWatch(w.fd, uint32(wd)) }

// unwatchAll gives the watches back to the system.
func (w *Watcher) unwatchAll() { w.dirs.remove("", w.unwatch) }
