package pending

import (
	"context"
	"fmt"

	"boo/orchestrator"
)

// readBack compares the checkout, and the files that made way, with what they
// must be now: as git records them and byte for byte.
func (e *Engine) readBack(ctx context.Context, j *journal) error {
	var paths []orchestrator.Path
	hints := map[orchestrator.Path]orchestrator.Entry{}
	for _, m := range j.moves {
		if m.After.Exists() && m.writes() {
			paths = append(paths, m.Path)
			hints[m.Path] = m.After
		}
	}
	now := map[orchestrator.Path]orchestrator.Entry{}
	if len(paths) > 0 {
		var err error
		if now, err = e.git.Current(ctx, j.checkout, paths, hints); err != nil {
			return fmt.Errorf("read back: %w", err)
		}
	}
	for _, m := range j.moves {
		if !m.writes() {
			continue
		}
		if err := j.asExpected(m); err != nil {
			return fmt.Errorf("read back %s: %w", m.Path, err)
		}
		if m.After.Exists() && now[m.Path] != m.After {
			return fmt.Errorf("read back %s: git records it as %s %o, not as %s %o", m.Path,
				now[m.Path].ID.Short(), uint32(now[m.Path].Mode), m.After.ID.Short(), uint32(m.After.Mode))
		}
		if m.Before.Exists() {
			old, err := j.stage.old.look(m.slot)
			if err != nil {
				return err
			}
			if !old.sameFile(m.at.found) {
				return fmt.Errorf("read back %s: %w", m.Path, errChanged)
			}
		}
	}
	return nil
}

// asExpected makes sure that the file boo placed is there, unchanged, or that
// nothing is where boo removed it.
func (j *journal) asExpected(m *move) error {
	at, err := j.tree.look(m.Path)
	if err != nil {
		return err
	}
	if !m.After.Exists() {
		if at.kind != nothing && at.kind != directory {
			return errChanged
		}
		return nil
	}
	staged, err := j.stage.new.look(m.slot)
	if err != nil {
		return err
	}
	if !at.sameFile(staged) {
		return errChanged
	}
	raw, err := j.tree.raw(m.Path, len(m.AfterRaw))
	if err == nil && raw != m.AfterRaw {
		err = errChanged
	}
	return err
}
