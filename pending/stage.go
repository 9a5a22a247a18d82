package pending

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"boo/orchestrator"
)

// stage is the directory of one apply, on the checkout's file system. Below
// "new" stand the files to come and below "old" those that made way, both named
// by the number of their step. A file placed in the checkout
// keeps its name in "new" until the stage is removed: that is how boo knows its
// own file again.
type stage struct {
	path string
	home stageHome
	dev  uint64
	new  dir
	old  dir
}

func (s *stage) close() {
	s.new.close()
	s.old.close()
}

// slot names the place in "old" of a step's file.
func slot(step int) string { return strconv.Itoa(step) }

// makeStage makes an empty stage from which files can be moved into the
// checkout: on the same file system, and with hard links.
func makeStage(id orchestrator.ApplyID, c orchestrator.Checkout, dev uint64) (*stage, error) {
	var errs []error
	for _, home := range stageHomes(c.Dir, c.GitDir) {
		s, err := home.make(id, dev)
		if err == nil {
			return s, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("find a place on the checkout's file system: %w", errors.Join(errs...))
}

func (h stageHome) make(id orchestrator.ApplyID, dev uint64) (*stage, error) {
	d, err := h.open(true)
	if err != nil {
		return nil, err
	}
	defer d.close()
	if err := d.mkdir(h.name(id), 0o700); err != nil {
		return nil, err
	}
	s, err := h.fill(d, id, dev)
	if err != nil {
		return nil, errors.Join(err, h.remove(h.name(id)))
	}
	s.home = h
	return s, nil
}

func (h stageHome) fill(d dir, id orchestrator.ApplyID, dev uint64) (*stage, error) {
	at, err := d.child(h.name(id))
	if err != nil {
		return nil, err
	}
	defer at.close()
	if err := errors.Join(at.mkdir("new", 0o700), at.mkdir("old", 0o700)); err != nil {
		return nil, err
	}
	s, err := openStage(at, h.path(id))
	if err != nil {
		return nil, err
	}
	if s.dev != dev {
		s.close()
		return nil, fmt.Errorf("%s is on another file system", s.path)
	}
	none := func(io.Writer) error { return nil }
	probe := func() error {
		if err := s.new.writeRaw("probe", orchestrator.ModeRegular, none); err != nil {
			return err
		}
		return errors.Join(s.new.link("probe", s.old, "probe"), s.new.remove("probe"), s.old.remove("probe"))
	}
	if err := probe(); err != nil {
		s.close()
		return nil, fmt.Errorf("try a hard link: %w", err)
	}
	return s, nil
}

func openStage(at dir, path string) (*stage, error) {
	here, err := at.look(".")
	if err != nil {
		return nil, err
	}
	fresh, err := at.child("new")
	if err != nil {
		return nil, err
	}
	old, err := at.child("old")
	if err != nil {
		fresh.close()
		return nil, err
	}
	return &stage{path: path, dev: here.dev, new: fresh, old: old}, nil
}

// stageOf opens the stage of a record again; fs.ErrNotExist if it is gone.
func stageOf(a orchestrator.Apply) (*stage, error) {
	h, err := homeOf(a)
	if err != nil {
		return nil, err
	}
	d, err := h.open(false)
	if err != nil {
		return nil, err
	}
	defer d.close()
	at, err := d.child(h.name(a.ID))
	if err != nil {
		return nil, err
	}
	defer at.close()
	return openStage(at, a.StageDir)
}

// sync brings the stage to the disk with everything in it.
func (s *stage) sync(moves []*move) error {
	home, err := s.home.open(false)
	if err != nil {
		return err
	}
	defer home.close()
	b := barrier{top: s.old}
	if err := s.gather(&b, home, moves); err != nil {
		return errors.Join(err, b.close())
	}
	return b.wait()
}

func (s *stage) gather(b *barrier, home dir, moves []*move) error {
	at := filepath.Base(s.path)
	if err := errors.Join(b.add(home, "."), b.add(home, at), b.add(s.old, "."), b.add(s.new, ".")); err != nil {
		return err
	}
	for _, m := range moves {
		// A symlink is on the disk with its directory.
		if !m.writes() || !m.After.Exists() || m.After.Mode == orchestrator.ModeSymlink {
			continue
		}
		if err := b.add(s.new, m.slot); err != nil {
			return err
		}
	}
	return nil
}

// verify checks every staged file and names its bytes in AfterRaw.
func (s *stage) verify(moves []*move, width int) error {
	return inParts(nil, moves, func(_ *tree, m *move) error {
		if !m.writes() || !m.After.Exists() {
			return nil
		}
		at, err := s.new.look(m.slot)
		if err != nil {
			return err
		}
		isLink := m.After.Mode == orchestrator.ModeSymlink
		isExec := m.After.Mode == orchestrator.ModeExec
		if isLink != (at.kind == link) || !isLink && (at.kind != file || at.exec != isExec) {
			return fmt.Errorf("stage %s: what was written is not a file of mode %o", m.Path, uint32(m.After.Mode))
		}
		raw, err := s.new.raw(m.slot, width)
		if err != nil {
			return err
		}
		if m.AfterRaw != "" && m.AfterRaw != raw || isLink && raw != m.After.ID {
			return fmt.Errorf("stage %s: what was written reads back differently", m.Path)
		}
		m.AfterRaw = raw
		return nil
	})
}
