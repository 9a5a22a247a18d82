package worktree

import (
	"fmt"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
)

// newRules adds to a scan the files that lie below attributes which are others
// than the base's: a clean clone would convert them by these, although nobody has
// touched them. It returns the index for the snapshot, in which nothing is known
// of those files, or nil where all attributes are the base's.
func (e *Engine) newRules(wt orchestrator.Worktree, r repo, s *scan) (*dircache.Index, error) {
	var dirs []orchestrator.Path
	listed, out := map[orchestrator.Path]bool{}, map[orchestrator.Path]bool{}
	note := func(path orchestrator.Path, in map[orchestrator.Path]bool) {
		if isRules(path) {
			dirs = append(dirs, parentOf(path))
		}
		in[path] = true
	}
	for _, path := range s.add {
		note(path, listed)
	}
	for _, x := range s.set {
		note(x.path, out)
	}
	if len(dirs) == 0 {
		return nil, nil
	}
	for _, x := range s.skip {
		out[x.Path] = true
	}
	format, err := objectid.FormatOf(wt.Base)
	if err != nil {
		return nil, err
	}
	index, err := dircache.Read(r.index, format)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	for _, dir := range dirs {
		for _, entry := range index.Under(dir) {
			file := entry.Mode == orchestrator.ModeRegular || entry.Mode == orchestrator.ModeExec
			if out[entry.Path] || !file || entry.Flags&dircache.SkipWorktree != 0 {
				continue
			}
			index.Refresh(entry.Path, dircache.Stat{})
			if !listed[entry.Path] {
				s.add, listed[entry.Path] = append(s.add, entry.Path), true
			}
		}
	}
	return index, nil
}

// newRules reports whether attributes are others than the base's in a way that
// may count for files which nobody has touched.
func (p *inProcess) newRules() bool {
	for path, entry := range p.edits {
		if isRules(path) && (!entry.Exists() || p.index.Lookup(path) != nil || p.textual[parentOf(path)]) {
			return true
		}
	}
	return false
}
