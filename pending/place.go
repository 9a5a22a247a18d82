package pending

import (
	"fmt"

	"boo/orchestrator"
)

// place is what was found at one path of the checkout before anything is
// written.
type place struct {
	found
	blocker orchestrator.Path   // an ancestor that is not a directory
	missing []orchestrator.Path // ancestors that are not directories yet, outermost first
	reason  string              // why boo must not write here at all
}

// survey looks at places and remembers the directories on the way.
type survey struct {
	tree  *tree
	width int
	dirs  map[orchestrator.Path]place
}

func newSurvey(t *tree, width int) *survey {
	return &survey{tree: t, width: width, dirs: map[orchestrator.Path]place{}}
}

func (s *survey) place(p orchestrator.Path) (place, error) {
	var at place
	for end := range ends(p) {
		part := p[:end]
		switch {
		case at.missing != nil && part != p:
			at.missing = append(at.missing, part)
		case at.missing != nil:
		case part == p:
			return s.leaf(p)
		default:
			d, err := s.ancestor(part)
			if err != nil {
				return place{}, err
			}
			if d.reason != "" {
				return place{reason: d.reason}, nil
			}
			if d.kind != directory {
				at.missing = append(at.missing, part)
			}
			if d.kind != directory && d.kind != nothing {
				at.blocker = part
			}
		}
	}
	return at, nil
}

// forbids says why the path cannot be moved whatever else moves, or "";
// wanted is whether a file is to be there.
func (at place) forbids(wanted bool) string {
	if at.kind == special && wanted {
		return "a file of a special kind (pipe, socket or device) stands in its place"
	}
	return at.reason
}

func (s *survey) leaf(p orchestrator.Path) (place, error) {
	at, err := s.tree.look(p)
	return place{found: at}, err
}

// ancestor looks at a directory that a path goes through.
func (s *survey) ancestor(p orchestrator.Path) (place, error) {
	if at, known := s.dirs[p]; known {
		return at, nil
	}
	f, err := s.tree.look(p)
	if err != nil {
		return place{}, err
	}
	at := place{found: f}
	if f.kind == directory {
		if at.reason, err = s.foreign(p, f); err != nil {
			return place{}, err
		}
	}
	s.dirs[p] = at
	return at, nil
}

// foreign says why nothing may be written below a directory, or "".
func (s *survey) foreign(p orchestrator.Path, f found) (string, error) {
	if f.dev != s.tree.dev {
		return fmt.Sprintf("%s lies on another file system than the checkout", p), nil
	}
	git, err := s.tree.look(p + "/.git")
	if err != nil || git.kind == nothing {
		return "", err
	}
	return fmt.Sprintf("%s is a repository of its own", p), nil
}

// occupants lists the files below a directory that are not in gone.
func (s *survey) occupants(p orchestrator.Path, gone func(orchestrator.Path) bool) ([]orchestrator.Path, error) {
	parent, name, err := s.tree.parent(p)
	if err != nil {
		return nil, err
	}
	d, err := parent.child(name)
	if err != nil {
		return nil, err
	}
	defer d.close()
	return occupants(d, p, gone)
}

func occupants(d dir, p orchestrator.Path, gone func(orchestrator.Path) bool) ([]orchestrator.Path, error) {
	names, err := d.names()
	if err != nil {
		return nil, err
	}
	var left []orchestrator.Path
	for _, name := range names {
		path := p + "/" + orchestrator.Path(name)
		at, err := d.look(name)
		if err != nil {
			return nil, err
		}
		if at.kind != directory {
			if !gone(path) {
				left = append(left, path)
			}
			continue
		}
		sub, err := d.child(name)
		if err != nil {
			return nil, err
		}
		more, err := occupants(sub, path, gone)
		sub.close()
		if err != nil {
			return nil, err
		}
		left = append(left, more...)
	}
	return left, nil
}
