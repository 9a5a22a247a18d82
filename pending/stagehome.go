package pending

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

// stageHome is a directory that may hold a checkout's stages. sub, which is
// boo's own, is made below root and is never entered through a symlink: what
// is removed there must be what was made there.
type stageHome struct {
	root   string
	sub    []string
	prefix string // of the stages' names
}

// stageHomes lists them, the best first: in the checkout's git directory,
// beside the checkout, in it.
func stageHomes(dir orchestrator.CheckoutDir, gitDir orchestrator.GitDir) []stageHome {
	prefix := ".boo-apply-" + checkoutKey(dir) + "-"
	return []stageHome{
		{root: string(gitDir), sub: []string{"boo", "applies"}},
		{root: filepath.Dir(string(dir)), prefix: prefix},
		{root: string(dir), prefix: prefix},
	}
}

// homeOf finds the home of a record's stage.
func homeOf(a orchestrator.Apply) (stageHome, error) {
	for _, h := range stageHomes(a.Checkout, a.GitDir) {
		if h.path(a.ID) == a.StageDir {
			return h, nil
		}
	}
	return stageHome{}, fmt.Errorf("%s is no place where boo stages for %s", a.StageDir, a.Checkout)
}

func (h stageHome) path(id orchestrator.ApplyID) string {
	return filepath.Join(h.root, h.below(h.name(id)))
}

// name is what the stage of a record is called in the home.
func (h stageHome) name(id orchestrator.ApplyID) string { return h.prefix + string(id) }

func (h stageHome) below(name string) string {
	return filepath.Join(append(append([]string{}, h.sub...), name)...)
}

// open opens the home, making what is boo's own of it if asked to.
func (h stageHome) open(create bool) (dir, error) {
	d, err := openDir(h.root)
	if err != nil {
		return dir{}, err
	}
	for _, name := range h.sub {
		if create {
			err := d.mkdir(name, 0o700)
			if err == nil {
				err = d.sync()
			}
			if err != nil && !errors.Is(err, fs.ErrExist) {
				d.close()
				return dir{}, err
			}
		}
		sub, err := d.child(name)
		d.close()
		if err != nil {
			return dir{}, err
		}
		d = sub
	}
	return d, nil
}

// remove removes a stage, by its name in the home, and what is left in it.
func (h stageHome) remove(name string) error {
	root, err := os.OpenRoot(h.root)
	if err != nil {
		return err
	}
	defer root.Close()
	below := h.below(name)
	if err := removeAtOnce(root, below); err == nil {
		return nil
	}
	// Directories that made way came with their permissions, and those may
	// forbid to remove what is in them.
	_ = filepath.WalkDir(filepath.Join(h.root, below), func(p string, e os.DirEntry, err error) error {
		if e != nil && e.IsDir() {
			if rel, err := filepath.Rel(h.root, p); err == nil {
				_ = root.Chmod(rel, 0o700)
			}
		}
		return nil
	})
	return root.RemoveAll(below)
}

// removeAtOnce removes a stage. Its two directories are of a size, and no call
// on one waits for a call on the other.
func removeAtOnce(root *os.Root, below string) error {
	old := make(chan error, 1)
	go func() { old <- root.RemoveAll(filepath.Join(below, "old")) }()
	err := root.RemoveAll(filepath.Join(below, "new"))
	return errors.Join(err, <-old, root.RemoveAll(below))
}

// removeStage removes the stage of a record.
func removeStage(a orchestrator.Apply) error {
	h, err := homeOf(a)
	if err != nil {
		return err
	}
	return h.remove(h.name(a.ID))
}

// sweep removes stages of the checkout that no open record speaks of: boo died
// before it wrote the record, or after it had settled it. Those that were set
// apart are left to [Engine.Clear] where a record leads to them.
func sweep(c orchestrator.Checkout, records []orchestrator.Apply, open map[orchestrator.ApplyID]bool) {
	known := map[orchestrator.ApplyID]bool{}
	for _, a := range records {
		known[a.ID] = true
	}
	for _, h := range stageHomes(c.Dir, c.GitDir) {
		d, err := h.open(false)
		if err != nil {
			continue
		}
		names, err := d.names()
		d.close()
		if err != nil {
			continue
		}
		for _, name := range names {
			rest, ours := strings.CutPrefix(name, h.prefix)
			rest, settled := strings.CutPrefix(rest, apart)
			id := orchestrator.ApplyID(rest)
			if needed := open[id] || settled && known[id]; ours && isApplyID(rest) && !needed {
				_ = h.remove(name)
			}
		}
	}
}

// isApplyID reports whether a name is one that boo gives to applies.
func isApplyID(name string) bool {
	if len(name) != len(orchestrator.NewApplyID()) || name[0] != 'a' {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') })
}
