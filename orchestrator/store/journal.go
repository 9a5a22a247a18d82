package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"boo/orchestrator"
)

// CommitApply takes an apply from prepared to applied, its changes from pending
// to applied, and the baseline of the worktree from a.OldBaseline to
// a.NewBaseline, and stores rest, the rows of what is left of changes that were
// applied in part, in one transaction. CodeConflict if a change is not pending
// any more or the baseline has moved, CodeBusy if the apply is not prepared.
func (s *Store) CommitApply(ctx context.Context, a orchestrator.Apply, rest []orchestrator.Change) error {
	return s.write(ctx, synced, "store the apply", func(t *tx) error {
		if err := moveApply(ctx, t, a.ID, orchestrator.ApplyPrepared, orchestrator.ApplyApplied); err != nil {
			return err
		}
		if err := moveBaseline(ctx, t, a.Chat, a.OldBaseline, a.NewBaseline); err != nil {
			return err
		}
		ids := changesOf(a)
		if err := exactly(len(ids), a.Chat)(t.ExecContext(ctx, applyChanges, a.ID, millis(t.now), a.Chat, list(ids))); err != nil {
			return err
		}
		return insertChanges(ctx, t, orchestrator.ChangeDelta{Chat: a.Chat, Insert: rest})
	})
}

const applyChanges = `
UPDATE changes SET state = 'applied', applied_by = ?1, decided_ms = ?2
WHERE chat_id = ?3 AND id IN (SELECT value FROM json_each(?4)) AND state = 'pending'`

// CommitUndo takes an apply from applied to undone, its changes from applied to
// reverted, the baseline from one commit to another, and stores delta, which is
// measured from there, in one transaction. CodeConflict if the baseline, one of
// the changes, or a row that the delta retires has moved; CodeBusy if the apply
// is not in force.
func (s *Store) CommitUndo(ctx context.Context, a orchestrator.Apply, from, to orchestrator.ObjectID, delta orchestrator.ChangeDelta) error {
	return s.write(ctx, synced, "store the undo", func(t *tx) error {
		if err := moveApply(ctx, t, a.ID, orchestrator.ApplyApplied, orchestrator.ApplyUndone); err != nil {
			return err
		}
		ids := changesOf(a)
		if err := exactly(len(ids), a.Chat)(t.ExecContext(ctx, revertChanges, a.ID, millis(t.now), a.Chat, list(ids))); err != nil {
			return err
		}
		if err := moveBaseline(ctx, t, a.Chat, from, to); err != nil {
			return err
		}
		return storeDelta(ctx, t, delta)
	})
}

const revertChanges = `
UPDATE changes SET state = 'reverted', decided_ms = ?2
WHERE chat_id = ?3 AND id IN (SELECT value FROM json_each(?4)) AND state = 'applied' AND applied_by = ?1`

// MoveApply takes an apply from one state to another, and nothing else.
// CodeBusy if it is not in the first.
func (s *Store) MoveApply(ctx context.Context, id orchestrator.ApplyID, from, to orchestrator.ApplyState) error {
	return s.write(ctx, synced, "store the state of the apply", func(t *tx) error {
		return moveApply(ctx, t, id, from, to)
	})
}

func moveApply(ctx context.Context, t *tx, id orchestrator.ApplyID, from, to orchestrator.ApplyState) error {
	var state orchestrator.ApplyState
	if err := t.GetContext(ctx, &state, "SELECT state FROM applies WHERE id = ?", id); err != nil {
		return orMissing(err, "apply", id)
	}
	if state != from {
		return orchestrator.Errorf(orchestrator.CodeBusy, "apply %s is %s, and not %s any more", id, state, from)
	}
	_, err := t.ExecContext(ctx, "UPDATE applies SET state = ? WHERE id = ?", to, id)
	return err
}

// changesOf lists the changes of an apply, each once.
func changesOf(a orchestrator.Apply) []orchestrator.ChangeID {
	ids := map[orchestrator.ChangeID]bool{}
	for _, step := range a.Steps {
		ids[step.Change] = true
	}
	return slices.Sorted(maps.Keys(ids))
}

// exactly checks that a statement moved as many changes as it was to move: one
// that is missing has been decided by somebody else.
func exactly(want int, chat orchestrator.ChatID) func(sql.Result, error) error {
	return func(r sql.Result, err error) error {
		if err != nil {
			return err
		}
		moved, err := r.RowsAffected()
		if err == nil && int(moved) != want {
			return orchestrator.Errorf(orchestrator.CodeConflict, "changes of chat %s were superseded or decided meanwhile", chat).
				WithHint("boo pending ls")
		}
		return err
	}
}
