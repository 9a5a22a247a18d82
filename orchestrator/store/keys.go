package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// TurnByKey finds the turn that was sent with a key: in a chat, or, if chat is
// "", the newest one in a repository. CodeNotFound if there is none.
func (s *Store) TurnByKey(ctx context.Context, repo orchestrator.RepoID, chat orchestrator.ChatID, key string) (turn orchestrator.Turn, err error) {
	err = s.read(ctx, "look up the key", func(q sqlx.QueryerContext) error {
		turn, err = turnByKey(ctx, q, repo, chat, key)
		return err
	})
	return turn, err
}

const (
	// The index turns_by_key serves both: few turns share a key.
	selectByKeyInChat = "SELECT * FROM turns WHERE send_key = ? AND send_key <> '' AND chat_id = ?"
	selectByKeyInRepo = `
SELECT * FROM turns WHERE send_key = ? AND send_key <> '' AND chat_id IN (SELECT id FROM chats WHERE repo_id = ?)
ORDER BY sent_ms DESC, number DESC LIMIT 1`
)

func turnByKey(ctx context.Context, q sqlx.QueryerContext, repo orchestrator.RepoID, chat orchestrator.ChatID, key string) (orchestrator.Turn, error) {
	var row turnRow
	var err error
	if chat != "" {
		err = sqlx.GetContext(ctx, q, &row, selectByKeyInChat, key, chat)
	} else {
		err = sqlx.GetContext(ctx, q, &row, selectByKeyInRepo, key, repo)
	}
	if err != nil {
		return orchestrator.Turn{}, orMissing(err, "turn with the key", key)
	}
	return row.turn()
}

// keyIsNew reports nil if no turn of a repository has a key, else CodeConflict:
// whoever sends again what made a chat does not know the chat.
func keyIsNew(ctx context.Context, t *tx, repo orchestrator.RepoID, key string) error {
	if key == "" {
		return nil
	}
	var row turnRow
	err := t.GetContext(ctx, &row, selectByKeyInRepo, key, repo)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return orchestrator.Errorf(orchestrator.CodeConflict, "turn %s has been sent with the key %q", row.ID, key)
}
