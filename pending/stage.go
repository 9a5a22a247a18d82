package pending

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"boo/orchestrator"
)

// stage is the directory of one apply, on the checkout's file system. Below
// "new" stand the files to come, named by their paths; below "old", named by
// the number of their step, those that made way. A file placed in the checkout
// keeps its name in "new" until the stage is removed: that is how boo knows its
// own file again.
type stage struct {
	path string
	new  *tree
	old  dir
}

func openStage(path string) (*stage, error) {
	fresh, err := openTree(filepath.Join(path, "new"))
	if err != nil {
		return nil, err
	}
	old, err := openDir(filepath.Join(path, "old"))
	if err != nil {
		fresh.close()
		return nil, err
	}
	return &stage{path: path, new: fresh, old: old}, nil
}

func (s *stage) close() {
	s.new.close()
	s.old.close()
}

// slot names the place in "old" of a step's file.
func slot(step int) string { return strconv.Itoa(step) }

// stageHomes lists the directories that may hold a checkout's stages, the best
// first, and how stages are named there.
func stageHomes(dir orchestrator.CheckoutDir, gitDir orchestrator.GitDir) []stageHome {
	prefix := ".boo-apply-" + checkoutKey(dir) + "-"
	return []stageHome{
		{filepath.Join(string(gitDir), "boo", "applies"), ""},
		{filepath.Dir(string(dir)), prefix},
		{string(dir), prefix},
	}
}

type stageHome struct{ dir, prefix string }

func (h stageHome) path(id orchestrator.ApplyID) string {
	return filepath.Join(h.dir, h.prefix+string(id))
}

// makeStage makes an empty stage from which files can be moved into the
// checkout: on the same file system, and with hard links.
func makeStage(id orchestrator.ApplyID, c orchestrator.Checkout, dev uint64) (*stage, error) {
	var errs []error
	for _, home := range stageHomes(c.Dir, c.GitDir) {
		s, err := home.makeStage(id, dev)
		if err == nil {
			return s, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("find a place on the checkout's file system: %w", errors.Join(errs...))
}

func (h stageHome) makeStage(id orchestrator.ApplyID, dev uint64) (*stage, error) {
	if h.prefix == "" {
		if err := os.MkdirAll(h.dir, 0o700); err != nil {
			return nil, err
		}
	}
	path := h.path(id)
	if err := os.Mkdir(path, 0o700); err != nil {
		return nil, err
	}
	s, err := fillStage(path, dev)
	if err != nil {
		return nil, errors.Join(err, removeStage(path))
	}
	return s, nil
}

func fillStage(path string, dev uint64) (*stage, error) {
	for _, sub := range []string{"new", "old"} {
		if err := os.Mkdir(filepath.Join(path, sub), 0o700); err != nil {
			return nil, err
		}
	}
	s, err := openStage(path)
	if err != nil {
		return nil, err
	}
	if s.new.dev != dev {
		s.close()
		return nil, fmt.Errorf("%s is on another file system", path)
	}
	probe := filepath.Join(path, "probe")
	if err := errors.Join(os.WriteFile(probe, nil, 0o600), os.Link(probe, probe+"-link")); err != nil {
		s.close()
		return nil, fmt.Errorf("try a hard link: %w", err)
	}
	return s, nil
}

// removeStage removes a stage and what is left in it. Directories that made way
// come with the permissions they had, and may forbid it.
func removeStage(path string) error {
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(p string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700) //nolint:gosec // a directory of boo's own, about to go
		}
		return nil
	})
	return os.RemoveAll(path)
}

// verify checks every staged file and names its bytes in AfterRaw.
func (s *stage) verify(moves []*move, width int) error {
	for _, m := range moves {
		if !m.writes() || !m.After.Exists() {
			continue
		}
		at, err := s.new.look(m.Path)
		if err != nil {
			return err
		}
		isLink := m.After.Mode == orchestrator.ModeSymlink
		isExec := m.After.Mode == orchestrator.ModeExec
		if isLink != (at.kind == link) || !isLink && (at.kind != file || at.exec != isExec) {
			return fmt.Errorf("stage %s: what was written is not a file of mode %o", m.Path, uint32(m.After.Mode))
		}
		raw, err := s.new.raw(m.Path, width)
		if err != nil {
			return err
		}
		if m.AfterRaw != "" && m.AfterRaw != raw || isLink && raw != m.After.ID {
			return fmt.Errorf("stage %s: what was written reads back differently", m.Path)
		}
		m.AfterRaw = raw
	}
	return nil
}
