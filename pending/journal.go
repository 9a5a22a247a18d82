package pending

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"boo/orchestrator"
)

// journal is one apply or undo on its way: the record, the moves in the order
// of the record's steps, and the open directories.
type journal struct {
	orchestrator.Apply
	checkout orchestrator.Checkout
	moves    []*move
	tree     *tree
	stage    *stage
}

// Refs of a chat's baseline and of an apply.
func baselineRef(chat orchestrator.ChatID) string {
	return "refs/boo/chats/" + string(chat) + "/baseline"
}
func applyRef(id orchestrator.ApplyID) string { return "refs/boo/applies/" + string(id) }

// inOrder sorts moves into the order they are made in: what leaves first, so
// that a file can take the place of a directory and the other way round.
func inOrder(moves []*move) {
	rank := func(m *move) int {
		if m.After.Exists() {
			return 1
		}
		return 0
	}
	slices.SortFunc(moves, func(a, b *move) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(string(a.Path), string(b.Path)))
	})
	for i, m := range moves {
		m.slot = slot(i)
	}
}

// prepare puts on disk what the record is going to name: the bytes that are about
// to be moved away, as objects, and the new baseline. baseline gives the entries
// that the baseline takes.
func (e *Engine) prepare(ctx context.Context, j *journal, baseline map[orchestrator.Path]orchestrator.Entry) error {
	held, err := e.keep(ctx, j, baseline)
	if err != nil {
		return err
	}
	tree, err := e.git.Overlay(ctx, j.CommonDir, j.OldBaseline, baseline)
	if err != nil {
		return fmt.Errorf("write tree of the new baseline: %w", err)
	}
	// The second parent keeps what the apply found alive as long as the
	// baseline, and makes the ref's target known to whoever takes it back.
	message := fmt.Sprintf("boo: baseline of chat %s after %s\n", j.Chat, j.ID)
	j.NewBaseline, err = e.git.Commit(ctx, j.CommonDir, tree, []orchestrator.ObjectID{j.OldBaseline, held}, message)
	if err != nil {
		return fmt.Errorf("commit new baseline: %w", err)
	}
	if err := e.git.Flush(ctx); err != nil {
		return err
	}
	j.Steps = make([]orchestrator.ApplyStep, len(j.moves))
	for i, m := range j.moves {
		j.Steps[i] = m.ApplyStep
	}
	return nil
}

// keep commits the very bytes of the files that make way, below "before/", and
// what takes their place, below "after/", unless the baseline has it too.
func (e *Engine) keep(ctx context.Context, j *journal, baseline map[orchestrator.Path]orchestrator.Entry) (orchestrator.ObjectID, error) {
	entries := map[orchestrator.Path]orchestrator.Entry{}
	for _, m := range j.moves {
		if !m.writes() {
			continue
		}
		if m.Before.Exists() {
			if m.BeforeRaw != m.Before.ID {
				if err := e.putRaw(ctx, j, m); err != nil {
					return "", err
				}
			}
			entries["before/"+m.Path] = orchestrator.Entry{Mode: m.Before.Mode, ID: m.BeforeRaw}
		}
		if m.After.Exists() && baseline[m.Path].ID != m.After.ID {
			entries["after/"+m.Path] = m.After
		}
	}
	tree, err := e.git.Overlay(ctx, j.CommonDir, "", entries)
	if err != nil {
		return "", fmt.Errorf("write tree of your files: %w", err)
	}
	held, err := e.git.Commit(ctx, j.CommonDir, tree, nil, fmt.Sprintf("boo: files before and after %s\n", j.ID))
	if err != nil {
		return "", fmt.Errorf("commit your files: %w", err)
	}
	return held, nil
}

// putRaw stores the person's file as it is, where git would record it in
// another form.
func (e *Engine) putRaw(ctx context.Context, j *journal, m *move) error {
	d, name, err := j.tree.parent(m.Path)
	if err != nil {
		return err
	}
	content, err := d.read(name, m.at.kind)
	if err != nil {
		return err
	}
	defer content.Close()
	id, err := e.git.PutBlob(ctx, j.CommonDir, content)
	if err != nil {
		return fmt.Errorf("store %s: %w", m.Path, err)
	}
	if id != m.BeforeRaw {
		return fmt.Errorf("store %s: %w", m.Path, errChanged)
	}
	return nil
}

// blob returns what copies a blob to a writer.
func (e *Engine) blob(ctx context.Context, common orchestrator.GitDir, id orchestrator.ObjectID) func(io.Writer) error {
	return func(w io.Writer) error { return e.git.Blob(ctx, common, id, w) }
}

// hold sets the ref that keeps what a record needs from being collected.
func (e *Engine) hold(ctx context.Context, a orchestrator.Apply) error {
	return e.git.MoveRef(ctx, a.CommonDir, applyRef(a.ID), "", a.NewBaseline)
}

// unhold takes back what a record did to refs. Both refs may have moved or not:
// the record was cut off anywhere.
func (e *Engine) unhold(ctx context.Context, a orchestrator.Apply, keepHeld bool) error {
	err := e.resetRef(ctx, a.CommonDir, baselineRef(a.Chat), a.NewBaseline, a.OldBaseline)
	if keepHeld {
		return err
	}
	return errors.Join(err, e.resetRef(ctx, a.CommonDir, applyRef(a.ID), a.NewBaseline, ""))
}

// resetRef moves a ref from one place to another, or leaves it if it is there
// or somebody else has moved it on.
func (e *Engine) resetRef(ctx context.Context, common orchestrator.GitDir, ref string, from, to orchestrator.ObjectID) error {
	err := e.git.MoveRef(ctx, common, ref, from, to)
	if err == nil || orchestrator.CodeOf(err) == orchestrator.CodeConflict {
		return nil
	}
	return fmt.Errorf("set %s back: %w", ref, err)
}
