package pending

import (
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// tree is a directory whose files are reached by their paths. It keeps the last
// directory open, since paths come sorted. One goroutine uses it.
type tree struct {
	top    dir
	dev    uint64
	at     orchestrator.Path
	last   dir
	isOpen bool
}

func openTree(path string) (*tree, error) {
	top, err := openDir(path)
	if err != nil {
		return nil, err
	}
	return newTree(top)
}

// newTree takes over the handle.
func newTree(top dir) (*tree, error) {
	here, err := top.look(".")
	if err != nil {
		top.close()
		return nil, err
	}
	return &tree{top: top, dev: here.dev}, nil
}

// again is a handle on the same directory for another goroutine.
func (t *tree) again() (*tree, error) {
	if t == nil {
		return nil, nil //nolint:nilnil // there is no tree
	}
	top, err := t.top.child(".")
	return &tree{top: top, dev: t.dev}, err
}

func (t *tree) close() {
	if t == nil {
		return
	}
	t.forget()
	t.top.close()
}

// forget closes the directory that is kept open; needed when it may have been
// moved.
func (t *tree) forget() {
	if t.isOpen {
		t.last.close()
		t.isOpen = false
	}
}

// split divides a path into its directory and its name.
func split(p orchestrator.Path) (parent orchestrator.Path, name string) {
	i := strings.LastIndexByte(string(p), '/')
	if i < 0 {
		return "", string(p)
	}
	return p[:i], string(p[i+1:])
}

// parent opens the directory that p is in. The handle is the tree's: it is
// good until the next call.
func (t *tree) parent(p orchestrator.Path) (dir, string, error) {
	parent, name := split(p)
	d, err := t.dir(parent, func(d dir, name string) (dir, error) { return d.child(name) })
	return d, name, err
}

// makeParent is parent that makes the directories that are missing.
func (t *tree) makeParent(p orchestrator.Path) (dir, string, error) {
	parent, name := split(p)
	d, err := t.dir(parent, func(d dir, name string) (dir, error) {
		sub, err := d.child(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return sub, err
		}
		if err := d.mkdir(name, 0o777); err != nil {
			return dir{}, err
		}
		return d.child(name)
	})
	return d, name, err
}

func (t *tree) dir(path orchestrator.Path, open func(dir, string) (dir, error)) (dir, error) {
	if path == "" {
		return t.top, nil
	}
	if t.isOpen && t.at == path {
		return t.last, nil
	}
	t.forget()
	d := t.top
	for name := range strings.SplitSeq(string(path), "/") {
		sub, err := open(d, name)
		if d != t.top {
			d.close()
		}
		if err != nil {
			return dir{}, err
		}
		d = sub
	}
	t.at, t.last, t.isOpen = path, d, true
	return d, nil
}

// look tells what stands at p; nothing, too, where p's directory is missing or
// is not one.
func (t *tree) look(p orchestrator.Path) (found, error) {
	d, name, err := t.parent(p)
	if isNoDir(err) {
		return found{}, nil
	}
	if err != nil {
		return found{}, err
	}
	return d.look(name)
}

// raw names the bytes at p.
func (t *tree) raw(p orchestrator.Path, width int) (orchestrator.ObjectID, error) {
	d, name, err := t.parent(p)
	if err != nil {
		return "", err
	}
	return d.raw(name, width)
}

// isNoDir reports whether a directory could not be opened because there is
// none: nothing, a file, or a symlink has its name.
func isNoDir(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}
