package worktree

import (
	"bytes"
	"context"
	"errors"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// MergeMarked merges three files as [Engine.MergeFiles] does, but puts what
// collides between conflict markers. regions are the lines of ours that
// collide, from and to, counted from 1. ok is false where there is nothing to
// mark: a file that is binary, over the limit, or none at all.
func (e *Engine) MergeMarked(ctx context.Context, common orchestrator.GitDir, base, ours, theirs orchestrator.Entry) (marked orchestrator.Entry, regions [][2]int, ok bool, err error) {
	fail := func(err error) (orchestrator.Entry, [][2]int, bool, error) {
		return orchestrator.Entry{}, nil, false, coded(err, "merge files")
	}
	m, err := e.openMerge(ctx, common, base.ID, ours.ID, theirs.ID)
	if err != nil || m == nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, coded(m.done(), "merge files")) }()
	out, _, ok, err := m.run(ctx)
	if err != nil || !ok {
		return fail(err)
	}
	mode, sides := mergeModes(base.Mode, ours.Mode, theirs.Mode)
	if !sides {
		mode = ours.Mode
	}
	id, err := m.objects.put(objectid.Blob, out)
	if err != nil {
		return fail(err)
	}
	return orchestrator.Entry{Mode: mode, ID: id}, collisions(out), true, nil
}

// collisions reads from a merge with markers which lines of ours collide.
func collisions(marked []byte) [][2]int {
	var regions [][2]int
	line, start := 0, 0
	inTheirs := false
	for text := range bytes.Lines(marked) {
		switch {
		case bytes.HasPrefix(text, []byte("<<<<<<< "+oursName)):
			start = line + 1
		case start > 0 && !inTheirs && bytes.Equal(bytes.TrimRight(text, "\r\n"), []byte("=======")):
			regions = append(regions, [2]int{start, line})
			inTheirs = true
		case inTheirs && bytes.HasPrefix(text, []byte(">>>>>>> "+theirsName)):
			start, inTheirs = 0, false
		case !inTheirs:
			line++
		}
	}
	return regions
}
