package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type changeRow struct {
	ID           orchestrator.ChangeID    `db:"id"`
	Chat         orchestrator.ChatID      `db:"chat_id"`
	Path         []byte                   `db:"path"`
	OldMode      orchestrator.FileMode    `db:"old_mode"`
	OldID        orchestrator.ObjectID    `db:"old_id"`
	NewMode      orchestrator.FileMode    `db:"new_mode"`
	NewID        orchestrator.ObjectID    `db:"new_id"`
	Added        int                      `db:"added"`
	Deleted      int                      `db:"deleted"`
	Binary       bool                     `db:"is_binary"`
	State        orchestrator.ChangeState `db:"state"`
	SupersededBy reference                `db:"superseded_by"`
	AppliedBy    reference                `db:"applied_by"`
	Turn         reference                `db:"turn_id"`
	Created      int64                    `db:"created_ms"`
	Decided      int64                    `db:"decided_ms"`
	Contributors string                   `db:"contributors"`
	Reason       string                   `db:"reason"`
}

// contribution is the stored form of [orchestrator.Contribution].
type contribution struct {
	Agent orchestrator.AgentName `json:"agent"`
	Turn  orchestrator.TurnID    `json:"turn"`
}

func (r changeRow) change() (orchestrator.Change, error) {
	c := orchestrator.Change{
		ID: r.ID, Chat: r.Chat,
		FileChange: orchestrator.FileChange{
			Path: orchestrator.Path(r.Path), Added: r.Added, Deleted: r.Deleted, Binary: r.Binary,
			Old: orchestrator.Entry{Mode: r.OldMode, ID: r.OldID}, New: orchestrator.Entry{Mode: r.NewMode, ID: r.NewID},
		},
		State: r.State, SupersededBy: orchestrator.ChangeID(r.SupersededBy), AppliedBy: orchestrator.ApplyID(r.AppliedBy),
		Turn: orchestrator.TurnID(r.Turn), CreatedAt: instant(r.Created), DecidedAt: instant(r.Decided),
		Reason: r.Reason,
	}
	var by []contribution
	if err := json.Unmarshal([]byte(r.Contributors), &by); err != nil {
		return c, fmt.Errorf("read the contributors of change %s: %w", r.ID, err)
	}
	for _, b := range by {
		c.Contributors = append(c.Contributors, orchestrator.Contribution(b))
	}
	return c, nil
}

// rowOfNewChange is the row of a change that becomes pending.
func rowOfNewChange(c orchestrator.Change, t *tx) (changeRow, error) {
	by := make([]contribution, 0, len(c.Contributors))
	for _, b := range c.Contributors {
		by = append(by, contribution(b))
	}
	text, err := json.Marshal(by)
	return changeRow{
		ID: c.ID, Chat: c.Chat, Path: []byte(c.Path), Added: c.Added, Deleted: c.Deleted, Binary: c.Binary,
		OldMode: c.Old.Mode, OldID: c.Old.ID, NewMode: c.New.Mode, NewID: c.New.ID,
		State: orchestrator.ChangePending, Turn: reference(c.Turn), Created: millis(orNow(c.CreatedAt, t.now)), Contributors: string(text),
	}, err
}

// Changes lists changes by chat and path; the history of a path is in the order
// of its rows.
func (s *Store) Changes(ctx context.Context, query orchestrator.ChangeQuery) ([]orchestrator.Change, error) {
	var f filter
	if query.Repo != "" {
		f.and("chat_id IN (SELECT id FROM chats WHERE repo_id = ?)", query.Repo)
	}
	if query.Chat != "" {
		f.and("chat_id = ?", query.Chat)
	}
	if len(query.States) > 0 {
		f.and("state IN (SELECT value FROM json_each(?))", list(query.States))
	}
	if query.Prefix != "" {
		f.andPrefix("id", query.Prefix)
	}
	var rows []changeRow
	err := s.read(ctx, "list changes", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM changes "+f.where()+" ORDER BY chat_id, path, rowid", f.args...)
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, changeRow.change)
}
