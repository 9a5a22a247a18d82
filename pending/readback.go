package pending

import (
	"context"
	"fmt"

	"boo/orchestrator"
)

// readBack compares the checkout, and the files that made way, with what they
// must be now: as git records them and byte for byte. A file is read once: with
// git's rules where that shows its bytes too.
func (e *Engine) readBack(ctx context.Context, j *journal) error {
	var paths []orchestrator.Path
	hints := map[orchestrator.Path]orchestrator.Entry{}
	for _, m := range j.moves {
		if m.After.Exists() && m.writes() {
			paths = append(paths, m.Path)
			hints[m.Path] = m.After
		}
	}
	now := map[orchestrator.Path]orchestrator.Reading{}
	if len(paths) > 0 {
		var err error
		if now, err = e.git.Current(ctx, j.checkout, paths, hints); err != nil {
			return fmt.Errorf("read back: %w", err)
		}
	}
	return inParts(j.tree, j.moves, func(t *tree, m *move) error {
		if !m.writes() {
			return nil
		}
		is := now[m.Path]
		if err := j.asExpected(t, m, is.Raw); err != nil {
			return fmt.Errorf("read back %s: %w", m.Path, err)
		}
		if m.After.Exists() && is.Entry != m.After {
			return fmt.Errorf("read back %s: git records it as %s %o, not as %s %o", m.Path,
				is.ID.Short(), uint32(is.Mode), m.After.ID.Short(), uint32(m.After.Mode))
		}
		if err := j.madeWay(m); err != nil {
			return fmt.Errorf("read back %s: %w", m.Path, err)
		}
		return nil
	})
}

// asExpected makes sure that the file boo placed is there, unchanged, or that
// nothing is where boo removed it. raw names the bytes that were read there, ""
// where they have to be read.
func (j *journal) asExpected(t *tree, m *move, raw orchestrator.ObjectID) error {
	at, err := t.look(m.Path)
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
	if raw == "" {
		raw, err = t.raw(m.Path, len(m.AfterRaw))
	}
	if err == nil && raw != m.AfterRaw {
		err = errChanged
	}
	return err
}

// madeWay makes sure that the file that was moved into the stage is the one that
// was read before.
func (j *journal) madeWay(m *move) error {
	if !m.Before.Exists() {
		return nil
	}
	raw, err := j.stage.old.raw(m.slot, len(m.BeforeRaw))
	if err != nil {
		return err
	}
	old, err := j.stage.old.look(m.slot)
	if err == nil && (raw != m.BeforeRaw || !old.sameFile(m.at.found)) {
		err = errChanged
	}
	return err
}
