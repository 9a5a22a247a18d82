package store

import (
	"context"
	"encoding/json"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type spareRow struct {
	Chat    orchestrator.ChatID     `db:"chat_id"`
	Repo    orchestrator.RepoID     `db:"repo_id"`
	Base    orchestrator.ObjectID   `db:"base"`
	Sparse  string                  `db:"sparse"`
	State   orchestrator.SpareState `db:"state"`
	Created int64                   `db:"created_ms"`
}

func (r spareRow) spare() orchestrator.Spare {
	var sparse []string
	if r.Sparse != "[]" {
		_ = json.Unmarshal([]byte(r.Sparse), &sparse) // only PutSpare writes it
	}
	return orchestrator.Spare{Chat: r.Chat, Repo: r.Repo, Base: r.Base, Sparse: sparse, State: r.State, CreatedAt: instant(r.Created)}
}

const insertSpare = `
INSERT INTO spares (chat_id, repo_id, base, sparse, state, created_ms)
VALUES (:chat_id, :repo_id, :base, :sparse, 'making', :created_ms)`

// PutSpare stores a spare that is about to be made.
func (s *Store) PutSpare(ctx context.Context, spare orchestrator.Spare) error {
	return s.write(ctx, synced, "store a spare worktree", func(t *tx) error {
		_, err := t.NamedExecContext(ctx, insertSpare, spareRow{
			Chat: spare.Chat, Repo: spare.Repo, Base: spare.Base, Sparse: list(append([]string{}, spare.Sparse...)), Created: millis(t.now),
		})
		if isDangling(err) {
			return orchestrator.Errorf(orchestrator.CodeNotFound, "no repository %s", spare.Repo)
		}
		return err
	})
}

// Spares lists the spares of all repositories, the oldest first.
func (s *Store) Spares(ctx context.Context) (spares []orchestrator.Spare, err error) {
	err = s.read(ctx, "list spare worktrees", func(q sqlx.QueryerContext) error {
		var rows []spareRow
		spares = nil
		if err := sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM spares ORDER BY created_ms, chat_id"); err != nil {
			return err
		}
		for _, r := range rows {
			spares = append(spares, r.spare())
		}
		return nil
	})
	return spares, err
}

// MoveSpare gives a spare a base and a state, if it is in the other one.
// CodeConflict if it is not, or not there.
func (s *Store) MoveSpare(ctx context.Context, chat orchestrator.ChatID, to orchestrator.SpareState, base orchestrator.ObjectID) error {
	return s.write(ctx, synced, "store the state of a spare worktree", func(t *tx) error {
		return oneSpare(ctx, t, chat, "UPDATE spares SET state = ?2, base = ?3 WHERE chat_id = ?1 AND state <> ?2", to, base)
	})
}

// DropSpare forgets a spare that nobody can take, since it is being made or
// cleared. CodeConflict if it is another.
func (s *Store) DropSpare(ctx context.Context, chat orchestrator.ChatID) error {
	return s.write(ctx, synced, "forget a spare worktree", func(t *tx) error {
		return oneSpare(ctx, t, chat, "DELETE FROM spares WHERE chat_id = ?1 AND state = 'making'")
	})
}

// takeSpare makes a spare a chat's, once.
func takeSpare(ctx context.Context, t *tx, chat orchestrator.ChatID) error {
	return oneSpare(ctx, t, chat, "DELETE FROM spares WHERE chat_id = ?1 AND state = 'ready'")
}

// oneSpare runs a statement that has to concern the spare of a chat.
func oneSpare(ctx context.Context, t *tx, chat orchestrator.ChatID, statement string, more ...any) error {
	result, err := t.ExecContext(ctx, statement, append([]any{chat}, more...)...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return orchestrator.Errorf(orchestrator.CodeConflict, "the spare worktree %s is somebody else's by now", chat)
}
