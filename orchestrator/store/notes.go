package store

import (
	"context"
	"encoding/json"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type noteRow struct {
	ID    int64                  `db:"id"`
	Chat  orchestrator.ChatID    `db:"chat_id"`
	Agent orchestrator.AgentName `db:"agent"`
	Text  string                 `db:"text"`
}

// Notes lists what an agent is to be told at its next turn in a chat, the
// oldest first.
func (s *Store) Notes(ctx context.Context, chat orchestrator.ChatID, agent orchestrator.AgentName) ([]orchestrator.Note, error) {
	var rows []noteRow
	err := s.read(ctx, "list notes", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT id, chat_id, agent, text FROM notes WHERE chat_id = ? AND agent = ? ORDER BY id", chat, agent)
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, func(r noteRow) (orchestrator.Note, error) { return orchestrator.Note(r), nil })
}

// DropNotes forgets notes: their agents have been told.
func (s *Store) DropNotes(ctx context.Context, ids []int64) error {
	text, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return s.write(ctx, synced, "forget notes", func(t *tx) error {
		_, err := t.ExecContext(ctx, "DELETE FROM notes WHERE id IN (SELECT value FROM json_each(?))", string(text))
		return err
	})
}
