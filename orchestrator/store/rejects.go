package store

import (
	"context"
	"maps"

	"boo/orchestrator"
)

// CommitReject takes a reject from prepared to applied and its changes from
// pending to rejected, with the reason, and stores delta and notes, in one
// transaction. What delta says of the rejected rows is that they are pending no
// more. CodeConflict if a row, or the baseline, has moved.
func (s *Store) CommitReject(ctx context.Context, a orchestrator.Apply, delta orchestrator.ChangeDelta, reason string, notes []orchestrator.Note) error {
	return s.write(ctx, synced, "store the reject", func(t *tx) error {
		if err := moveApply(ctx, t, a.ID, orchestrator.ApplyPrepared, orchestrator.ApplyApplied); err != nil {
			return err
		}
		ids := changesOf(a)
		if err := exactly(len(ids), a.Chat)(t.ExecContext(ctx, rejectChanges, a.ID, millis(t.now), a.Chat, list(ids), reason)); err != nil {
			return err
		}
		rest := delta
		rest.Retire = maps.Clone(delta.Retire)
		for _, id := range ids {
			delete(rest.Retire, id)
		}
		if err := storeDelta(ctx, t, rest); err != nil {
			return err
		}
		for _, n := range notes {
			if _, err := t.ExecContext(ctx, "INSERT INTO notes (chat_id, agent, apply_id, text) VALUES (?, ?, ?, ?)", a.Chat, n.Agent, a.ID, n.Text); err != nil {
				return err
			}
		}
		return nil
	})
}

const rejectChanges = `
UPDATE changes SET state = 'rejected', applied_by = ?1, decided_ms = ?2, reason = ?5
WHERE chat_id = ?3 AND id IN (SELECT value FROM json_each(?4)) AND state = 'pending'`

// CommitUnreject takes a reject from applied to undone, its changes from
// rejected to reverted, stores delta, and drops the notes that nobody has been
// told yet, in one transaction. Errors as with [Store.CommitUndo].
func (s *Store) CommitUnreject(ctx context.Context, a orchestrator.Apply, delta orchestrator.ChangeDelta) error {
	return s.write(ctx, synced, "store the undo of the reject", func(t *tx) error {
		if err := moveApply(ctx, t, a.ID, orchestrator.ApplyApplied, orchestrator.ApplyUndone); err != nil {
			return err
		}
		ids := changesOf(a)
		if err := exactly(len(ids), a.Chat)(t.ExecContext(ctx, unrejectChanges, a.ID, millis(t.now), a.Chat, list(ids))); err != nil {
			return err
		}
		if _, err := t.ExecContext(ctx, "DELETE FROM notes WHERE apply_id = ?", a.ID); err != nil {
			return err
		}
		return storeDelta(ctx, t, delta)
	})
}

const unrejectChanges = `
UPDATE changes SET state = 'reverted', decided_ms = ?2
WHERE chat_id = ?3 AND id IN (SELECT value FROM json_each(?4)) AND state = 'rejected' AND applied_by = ?1`
