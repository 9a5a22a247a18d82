package store

import (
	"context"

	"boo/orchestrator"
)

// The condition is, word for word, that of the index turns_provisional. Left to
// itself, SQLite reads all turns, as they are in the order that is asked for.
const selectProvisional = `
SELECT * FROM turns INDEXED BY turns_provisional WHERE provisional = 1
    AND (?1 = '' OR chat_id = ?1)
    AND (?2 = '' OR chat_id IN (SELECT id FROM chats WHERE repo_id = ?2))
ORDER BY chat_id, number`

// ProvisionalTurns lists the turns, of one repository or chat unless these are
// "", whose share is not confirmed.
func (s *Store) ProvisionalTurns(ctx context.Context, repo orchestrator.RepoID, chat orchestrator.ChatID) ([]orchestrator.Turn, error) {
	return s.turns(ctx, selectProvisional, chat, repo)
}

// ConfirmTurn makes a provisional turn a settled one: its snapshot, and where
// the share was wrong the pending set and a notice. CodeBusy if it is not
// provisional, CodeConflict as with [Store.EndTurn].
func (s *Store) ConfirmTurn(ctx context.Context, c orchestrator.TurnConfirmation) (events []orchestrator.Event, err error) {
	err = s.write(ctx, synced, "store what became of the turn's files", func(t *tx) error {
		events, err = confirmTurn(ctx, t, c)
		return err
	})
	return events, err
}

const setConfirmed = `UPDATE turns SET provisional = 0, after_commit = ?2, corrected = ?3 WHERE id = ?1`

func confirmTurn(ctx context.Context, t *tx, c orchestrator.TurnConfirmation) ([]orchestrator.Event, error) {
	turn, err := turnByID(ctx, t, c.Turn)
	if err != nil {
		return nil, err
	}
	if !turn.Provisional {
		return nil, orchestrator.Errorf(orchestrator.CodeBusy, "turn %s has nothing that waits to be confirmed", c.Turn)
	}
	if _, err := t.ExecContext(ctx, setConfirmed, c.Turn, c.After, c.Notice != ""); err != nil {
		return nil, err
	}
	if err := storeDelta(ctx, t, c.Delta); err != nil || c.Notice == "" {
		return nil, err
	}
	return appendEvents(ctx, t, turn.Chat, []orchestrator.Event{
		{Turn: turn.ID, Kind: orchestrator.EventNotice, Agent: turn.Agent, Text: c.Notice},
	})
}
