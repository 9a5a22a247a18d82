package pending

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"boo/orchestrator"
)

// Conflicts implements [orchestrator.Pending]: it merges as an apply would, in
// both orders, and writes nothing but blobs that nobody names. Only paths that
// two chats changed are merged with each other, and only changed paths are
// looked at in the checkout. The result is in the order of the paths.
//
// Two changes that each go onto the person's file as it is collide if one of
// them does not go onto what the other makes of it. Where one does not go on
// alone, they collide if it does not go onto the other's file either.
func (e *Engine) Conflicts(ctx context.Context, req orchestrator.ConflictRequest) ([]orchestrator.Collision, error) {
	m := meeting{git: e.git, sides: map[orchestrator.Path][]side{}, ground: map[orchestrator.Path]orchestrator.Entry{}}
	var found []orchestrator.Collision
	if len(req.Sets) > 0 {
		at := req.Checkout
		if at.Dir == "" {
			at.GitDir, at.CommonDir = req.Sets[0].Worktree.CommonDir, req.Sets[0].Worktree.CommonDir
		}
		var done func()
		ctx, done = e.git.Hold(ctx, at)
		defer done()
	}
	for i, set := range req.Sets {
		m.common = set.Worktree.CommonDir
		for _, c := range set.Changes {
			m.sides[c.Path] = append(m.sides[c.Path], side{set: i, change: c})
		}
		if req.Checkout.Dir == "" || len(set.Changes) == 0 {
			continue
		}
		some, err := e.withCheckout(ctx, req.Checkout, set.Changes, m.ground)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	some, err := m.pairs(ctx)
	if err != nil {
		return nil, err
	}
	found = append(append(found, some...), m.crossings()...)
	slices.SortStableFunc(found, func(a, b orchestrator.Collision) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return found, nil
}

// withCheckout plans an apply of all that a chat has pending, and notes what
// the checkout has at its paths.
func (e *Engine) withCheckout(ctx context.Context, c orchestrator.Checkout, changes []orchestrator.Change, ground map[orchestrator.Path]orchestrator.Entry) ([]orchestrator.Collision, error) {
	t, err := openTree(string(c.Dir))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.Dir, err)
	}
	defer t.close()
	moves, err := e.planFiles(ctx, t, c, whole(changes), false)
	if err != nil {
		return nil, fmt.Errorf("compare with %s: %w", c.Dir, err)
	}
	var found []orchestrator.Collision
	for _, m := range moves {
		ground[m.Path] = m.Before
		if m.refused != "" {
			found = append(found, orchestrator.Collision{Path: m.Path, Change: m.row, Checkout: c.Dir, Reason: m.refused})
		}
	}
	return found, nil
}

// side is one chat's change of a path.
type side struct {
	set    int // which chat, in the order of the request
	change orchestrator.Change
}

// meeting is the changes of several chats of a repository.
type meeting struct {
	git    Git
	common orchestrator.GitDir
	sides  map[orchestrator.Path][]side
	ground map[orchestrator.Path]orchestrator.Entry // the person's files, where they are known
}

// pairs merges the changes that chats made to the same paths.
func (m *meeting) pairs(ctx context.Context) ([]orchestrator.Collision, error) {
	var found []orchestrator.Collision
	for path, sides := range m.sides {
		for i, a := range sides {
			for _, b := range sides[i+1:] {
				fit, err := m.fit(ctx, a.change, b.change)
				if err != nil {
					return nil, fmt.Errorf("merge %s of two chats: %w", path, err)
				}
				if !fit {
					found = append(found, orchestrator.Collision{Path: path, Change: a.change, With: &b.change, Reason: whyNot(a.change, b.change)})
				}
			}
		}
	}
	return found, nil
}

// fit reports whether both changes can be applied, in either order.
func (m *meeting) fit(ctx context.Context, a, b orchestrator.Change) (bool, error) {
	if a.Old == b.Old && a.New == b.New {
		return true, nil
	}
	afterA, afterB := a.New, b.New
	if ground, known := m.ground[a.Path]; known {
		onlyA, goesA, err := m.onto(ctx, ground, a)
		if err != nil {
			return false, err
		}
		onlyB, goesB, err := m.onto(ctx, ground, b)
		if err != nil {
			return false, err
		}
		if goesA && goesB {
			afterA, afterB = onlyA, onlyB
		}
	}
	_, first, err := m.onto(ctx, afterA, b)
	if err != nil || !first || a.Old == b.Old && afterA == a.New && afterB == b.New { // the other way round is the same then
		return first, err
	}
	_, second, err := m.onto(ctx, afterB, a)
	return second, err
}

// onto merges a change into a file, by the rules of an apply.
func (m *meeting) onto(ctx context.Context, file orchestrator.Entry, c orchestrator.Change) (orchestrator.Entry, bool, error) {
	switch v := judge(c.Old, file, c.New); v.action {
	case already:
		return file, true, nil
	case take:
		return c.New, true, nil
	case merge:
		merged, clean, err := m.git.MergeFiles(ctx, m.common, c.Old, file, c.New)
		return orchestrator.Entry{Mode: v.mode, ID: merged.ID}, clean, err
	}
	return orchestrator.Entry{}, false, nil
}

func whyNot(a, b orchestrator.Change) string {
	switch {
	case !a.New.Exists() || !b.New.Exists():
		return "one deletes the file that the other edits"
	case !a.Old.Exists() && !b.Old.Exists():
		return "both make a file there, with different content"
	case !regular(a.New) || !regular(b.New):
		return "both changed it, and it is not a plain file on every side"
	case a.Binary || b.Binary:
		return "both changed it, and it is binary"
	}
	return "both changed the same lines"
}

// crossings finds where one chat has a file and another a directory.
func (m *meeting) crossings() []orchestrator.Collision {
	var found []orchestrator.Collision
	for path, below := range m.sides {
		for end := range ends(path) {
			part := path[:end]
			if part == path {
				continue
			}
			for _, above := range m.sides[part] {
				for _, b := range below {
					if above.set != b.set && above.change.New.Exists() && b.change.New.Exists() && !m.changes(b.set, part) {
						found = append(found, crossing(above, b))
					}
				}
			}
		}
	}
	return found
}

// changes reports whether a chat has a change at the very path.
func (m *meeting) changes(set int, path orchestrator.Path) bool {
	return slices.ContainsFunc(m.sides[path], func(s side) bool { return s.set == set })
}

func crossing(above, below side) orchestrator.Collision {
	first, second := above, below
	if cmp.Compare(first.set, second.set) > 0 {
		first, second = second, first
	}
	return orchestrator.Collision{
		Path: below.change.Path, Change: first.change, With: &second.change,
		Reason: fmt.Sprintf("one makes %s a file, the other a directory", above.change.Path),
	}
}
