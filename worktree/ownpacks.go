package worktree

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"boo/orchestrator"
)

// ownPack is a pack that boo has put into a repository.
type ownPack struct {
	name string // such as "pack-1f0e…"
	size int64  // bytes
}

// marksDir holds an empty file for each pack that boo has put into a repository,
// named like it. Losing it means that those stay as they are until the person's
// git packs them.
func (e *Engine) marksDir(common orchestrator.GitDir) string {
	sum := sha256.Sum256([]byte(common))
	return filepath.Join(e.dir, "packs", hex.EncodeToString(sum[:8]))
}

// keepWork is in the .keep files of packs that something is made of which no ref
// holds yet. They are taken away when all such work is long over.
const (
	keepWork = "boo at work"
	longOver = time.Hour
)

// keepAtWork makes such a file.
func keepAtWork(path string) error { return os.WriteFile(path, []byte(keepWork+"\n"), 0o644) }

// allMarks is the empty file that marks are names of, where they can be: a name
// costs far less than a file.
func (e *Engine) allMarks() string { return filepath.Join(e.dir, "packs", "mark") }

// mark notes a pack as boo's. That it cannot be noted is no harm.
func (e *Engine) mark(common orchestrator.GitDir, name string) {
	path := filepath.Join(e.marksDir(common), name)
	err := os.Link(e.allMarks(), path)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(filepath.Dir(path), 0o700) == nil && os.WriteFile(e.allMarks(), nil, 0o600) == nil {
		err = os.Link(e.allMarks(), path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		_ = os.WriteFile(path, nil, 0o600)
	}
}

func (e *Engine) unmark(common orchestrator.GitDir, name string) {
	_ = os.Remove(filepath.Join(e.marksDir(common), name)) // looked at once more the next time
}

// marks lists boo's packs that may be packed anew, smallest first. Packs that something is about to
// refer to, or that a multi-pack index of the person's counts on, are left out;
// what is left of packs whose removal was cut off is removed.
func (e *Engine) marks(common orchestrator.GitDir) (packs []ownPack, err error) {
	entries, err := os.ReadDir(e.marksDir(common))
	if errors.Is(err, fs.ErrNotExist) || len(entries) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(objectsOf(common), "pack")
	multi, _ := os.ReadFile(filepath.Join(dir, "multi-pack-index"))
	for _, entry := range entries {
		name := entry.Name()
		path := filepath.Join(dir, name)
		if e.needed(path+".keep") || bytes.Contains(multi, []byte(name+".")) {
			continue
		}
		_, indexErr := os.Lstat(path + ".idx")
		info, packErr := os.Lstat(path + ".pack")
		switch {
		case indexErr == nil && packErr == nil:
			packs = append(packs, ownPack{name, info.Size()})
		case errors.Is(indexErr, fs.ErrNotExist):
			if err := e.removePack(common, name); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(packs, func(a, b ownPack) int { return cmp.Or(cmp.Compare(a.size, b.size), strings.Compare(a.name, b.name)) })
	return packs, nil
}

// needed reports whether a .keep file is there that has its reason still.
func (e *Engine) needed(keep string) bool {
	info, err := os.Lstat(keep)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	content, readErr := readSmall(keep, 4<<10)
	if err != nil || readErr != nil || strings.TrimSpace(string(content)) != keepWork || e.opts.Now().Sub(info.ModTime()) < longOver {
		return true
	}
	return os.Remove(keep) != nil
}

// removePack removes a pack of boo's whose objects are elsewhere. The index
// goes first: without it git does not look at the rest; and the mark last.
func (e *Engine) removePack(common orchestrator.GitDir, name string) error {
	for _, kind := range []string{".idx", ".rev", ".bitmap", ".mtimes", ".pack"} {
		err := os.Remove(filepath.Join(objectsOf(common), "pack", name+kind))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	e.unmark(common, name)
	return nil
}
