package watch

import (
	"strings"

	"boo/orchestrator"
)

// dir is one watched directory. Its path never changes: a directory that moves
// becomes another dir.
type dir struct {
	path       orchestrator.Path // "" at the top
	wd         int32             // -1 once the kernel's watch belongs to another dir
	parent     *dir
	child      *dir // the first
	next, prev *dir // siblings
}

// below returns the path of a name in the directory.
func (d *dir) below(name string) orchestrator.Path {
	if d.path == "" {
		return orchestrator.Path(name)
	}
	return d.path + "/" + orchestrator.Path(name)
}

// dirs is what the watcher watches.
type dirs struct {
	byWatch map[int32]*dir
	byPath  map[orchestrator.Path]*dir
}

func newDirs() *dirs {
	return &dirs{byWatch: map[int32]*dir{}, byPath: map[orchestrator.Path]*dir{}}
}

// add notes that the directory at path has watch wd. A directory that the
// kernel knows under that watch already was moved: the old dir loses it.
func (s *dirs) add(path orchestrator.Path, wd int32) {
	if before := s.byWatch[wd]; before != nil {
		before.wd = -1
	}
	d := &dir{path: path, wd: wd}
	s.byWatch[wd] = d
	s.byPath[path] = d
	if path == "" {
		return
	}
	d.parent = s.byPath[parentOf(path)]
	if d.parent == nil {
		return
	}
	if d.next = d.parent.child; d.next != nil {
		d.next.prev = d
	}
	d.parent.child = d
}

// remove forgets the directory at path and all below it, and calls unwatch for
// each watch that it had.
func (s *dirs) remove(path orchestrator.Path, unwatch func(wd int32)) {
	d := s.byPath[path]
	if d == nil {
		return
	}
	switch {
	case d.prev != nil:
		d.prev.next = d.next
	case d.parent != nil:
		d.parent.child = d.next
	}
	if d.next != nil {
		d.next.prev = d.prev
	}
	s.forget(d, unwatch)
}

func (s *dirs) forget(d *dir, unwatch func(wd int32)) {
	for child := d.child; child != nil; child = child.next {
		s.forget(child, unwatch)
	}
	delete(s.byPath, d.path)
	if d.wd >= 0 {
		delete(s.byWatch, d.wd)
		unwatch(d.wd)
	}
}

// ignored notes that the kernel has dropped a watch by itself.
func (s *dirs) ignored(wd int32) {
	if d := s.byWatch[wd]; d != nil {
		delete(s.byWatch, wd)
		d.wd = -1
	}
}

func parentOf(path orchestrator.Path) orchestrator.Path {
	i := strings.LastIndexByte(string(path), '/')
	if i < 0 {
		return ""
	}
	return path[:i]
}
