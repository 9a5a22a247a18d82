package store

import (
	"context"
	"encoding/json"

	"boo/orchestrator"
)

// StoreDelta stores a delta by itself; CodeConflict as with [Store.EndTurn].
func (s *Store) StoreDelta(ctx context.Context, delta orchestrator.ChangeDelta) error {
	return s.write(ctx, synced, "store the pending changes", func(t *tx) error {
		return storeDelta(ctx, t, delta)
	})
}

// storeDelta takes the step if the pending set is still where the delta was
// computed. A delta without a chat is no step.
func storeDelta(ctx context.Context, t *tx, delta orchestrator.ChangeDelta) error {
	if delta.Chat == "" {
		return nil
	}
	if err := holdsBaseline(ctx, t, delta.Chat, delta.Baseline); err != nil {
		return err
	}
	if err := retire(ctx, t, delta); err != nil {
		return err
	}
	return insertChanges(ctx, t, delta)
}

const retireChanges = `
UPDATE changes SET state = 'superseded', superseded_by = nullif(r.value, ''), decided_ms = ?1
FROM json_each(?2) r
WHERE changes.id = r.key AND changes.chat_id = ?3 AND changes.state = 'pending'`

func retire(ctx context.Context, t *tx, delta orchestrator.ChangeDelta) error {
	if len(delta.Retire) == 0 {
		return nil
	}
	by, err := json.Marshal(delta.Retire)
	if err != nil {
		return err
	}
	return exactly(len(delta.Retire), delta.Chat)(t.ExecContext(ctx, retireChanges, millis(t.now), string(by), delta.Chat))
}

const insertChange = `
INSERT INTO changes (id, chat_id, path, old_mode, old_id, new_mode, new_id, added, deleted, is_binary,
    state, superseded_by, applied_by, turn_id, created_ms, decided_ms, contributors)
VALUES (:id, :chat_id, :path, :old_mode, :old_id, :new_mode, :new_id, :added, :deleted, :is_binary,
    :state, :superseded_by, :applied_by, :turn_id, :created_ms, :decided_ms, :contributors)`

func insertChanges(ctx context.Context, t *tx, delta orchestrator.ChangeDelta) error {
	if len(delta.Insert) == 0 {
		return nil
	}
	insert, err := t.PrepareNamedContext(ctx, insertChange)
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, c := range delta.Insert {
		c.Chat = delta.Chat
		row, err := rowOfNewChange(c, t)
		if err != nil {
			return err
		}
		_, err = insert.ExecContext(ctx, row)
		if isTaken(err) {
			return orchestrator.Errorf(orchestrator.CodeConflict, "%s has got another pending change in chat %s meanwhile", c.Path, c.Chat)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
