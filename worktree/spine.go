package worktree

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/treeedit"
)

// spine makes the content of a base's trees from the index that stands at the
// base, so that no object has to be read. Every tree on the way from the top
// is known by its id once the one above it was asked for.
type spine struct {
	index *dircache.Index
	dirs  map[orchestrator.ObjectID]orchestrator.Path
}

// newSpine fails where the index does not know its trees.
func newSpine(index *dircache.Index) (*spine, orchestrator.ObjectID, error) {
	root, ok := index.Tree("")
	if !ok {
		return nil, "", errTreesUnknown
	}
	return &spine{index: index, dirs: map[orchestrator.ObjectID]orchestrator.Path{root: ""}}, root, nil
}

var errTreesUnknown = fmt.Errorf("%w: it does not know its trees", errDamaged)

// read is a [treeedit.ReadTree].
func (s *spine) read(_ context.Context, id orchestrator.ObjectID) ([]byte, error) {
	dir, known := s.dirs[id]
	if !known {
		return nil, errTreesUnknown
	}
	format := s.index.Format()
	var content []byte
	var err error
	entries := s.index.Under(dir)
	prefix := ""
	if dir != "" {
		prefix = string(dir) + "/"
	}
	for len(entries) > 0 {
		name, _, below := strings.Cut(string(entries[0].Path)[len(prefix):], "/")
		mode, object, n := entries[0].Mode, entries[0].ID, 1
		if below {
			sub := orchestrator.Path(prefix + name)
			mode, n = treeedit.ModeTree, len(s.index.Under(sub))
			var ok bool
			if object, ok = s.index.Tree(sub); !ok {
				return nil, errTreesUnknown
			}
			s.dirs[object] = sub
		}
		content = append(strconv.AppendUint(content, uint64(mode), 8), ' ')
		content = append(append(content, name...), 0)
		if content, err = format.AppendRaw(content, object); err != nil {
			return nil, err
		}
		entries = entries[n:]
	}
	if format.Of(objectid.Tree, content) != id {
		return nil, errTreesUnknown
	}
	return content, nil
}
