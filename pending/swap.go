package pending

import (
	"errors"
	"fmt"
	"io/fs"

	"boo/orchestrator"
)

// swap makes every move: the file that is there aside into the stage, the new
// one into its place. It stops at the first that cannot be made; what it has
// done by then is for [Engine.rollBack].
func (e *Engine) swap(j *journal, stop func() error) error {
	for _, m := range j.moves {
		if !m.writes() {
			continue
		}
		if err := stop(); err != nil {
			return err
		}
		e.mark("aside")
		if err := j.aside(m); err != nil {
			return fmt.Errorf("move %s aside: %w", m.Path, err)
		}
		e.mark("place")
		if err := j.place(m); err != nil {
			return fmt.Errorf("write %s: %w", m.Path, err)
		}
	}
	e.mark("sync")
	return j.sync()
}

// aside moves what stands at the path into the stage, if it still looks as it
// did when it was read. That its bytes are those is read back.
func (j *journal) aside(m *move) error {
	if m.at.kind == nothing || m.at.blocker != "" {
		return nil
	}
	d, name, err := j.tree.parent(m.Path)
	if err != nil {
		return err
	}
	now, err := d.look(name)
	if err != nil {
		return err
	}
	if !now.sameFile(m.at.found) {
		return errChanged
	}
	if err := d.rename(name, j.stage.old, m.slot); err != nil {
		return err
	}
	if m.at.kind != directory {
		return nil
	}
	j.tree.forget() // it may be that directory, or in it
	return emptied(j.stage.old, m.slot)
}

// emptied makes sure that no file is left below a directory that made way.
func emptied(d dir, name string) error {
	moved, err := d.child(name)
	if err != nil {
		return err
	}
	defer moved.close()
	left, err := occupants(moved, orchestrator.Path(name), func(orchestrator.Path) bool { return false })
	if err == nil && len(left) > 0 {
		err = errChanged
	}
	return err
}

// place gives the staged file its name in the checkout. A link replaces
// nothing: if something has come to be there, that stays.
func (j *journal) place(m *move) error {
	if !m.After.Exists() {
		return nil
	}
	to, name, err := j.tree.makeParent(m.Path)
	if err != nil {
		return err
	}
	err = j.stage.new.link(m.slot, to, name)
	if errors.Is(err, fs.ErrExist) {
		return errChanged
	}
	return err
}

// sync makes the moves durable: every directory that lost or won a name.
func (j *journal) sync() error {
	paths := make([]orchestrator.Path, 0, len(j.moves))
	for _, m := range j.moves {
		if m.writes() {
			paths = append(paths, m.Path)
			paths = append(paths, m.Dirs...)
		}
	}
	b := barrier{top: j.stage.old}
	if err := errors.Join(b.add(j.stage.old, "."), b.addParents(j.tree, paths)); err != nil {
		return err
	}
	return b.wait()
}

// sameFile reports whether two looks saw the same content under the same
// inode, as far as a look can tell. The time of the inode's change is left out:
// moving another name of a hard-linked file sets it. A directory's times change
// with what is in it.
func (f found) sameFile(g found) bool {
	if f.kind != g.kind || !f.sameInode(g) {
		return false
	}
	return f.kind == directory || f.exec == g.exec && f.size == g.size && f.mtime == g.mtime
}

func (f found) sameInode(g found) bool { return f.dev == g.dev && f.ino == g.ino }
