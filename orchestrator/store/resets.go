package store

import (
	"context"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// ResetSessions forgets the sessions of agents in a chat: see
// [orchestrator.ClosingStore].
func (s *Store) ResetSessions(ctx context.Context, r orchestrator.SessionReset) (logAfter orchestrator.Seq, err error) {
	err = s.write(ctx, synced, "reset the sessions", func(t *tx) error {
		logAfter, err = resetSessions(ctx, t, r)
		return err
	})
	return logAfter, err
}

const selectLiveTurns = `
SELECT count(*) FROM turns WHERE chat_id = ?1 AND state IN ('accepted', 'running', 'cancelling')
    AND agent IN (SELECT value FROM json_each(?2))`

func resetSessions(ctx context.Context, t *tx, r orchestrator.SessionReset) (orchestrator.Seq, error) {
	agents := list(r.Agents)
	var live int
	if err := t.GetContext(ctx, &live, selectLiveTurns, r.Chat, agents); err != nil {
		return 0, err
	}
	if live > 0 {
		return 0, orchestrator.Errorf(orchestrator.CodeBusy, "a turn of chat %s runs", r.Chat)
	}
	for _, agent := range r.Agents {
		session, err := sessionOf(ctx, t, r.Chat, agent)
		if err != nil {
			return 0, err
		}
		// An agent that was never reached has no row yet.
		if err := putSession(ctx, t, session); err != nil {
			return 0, err
		}
	}
	if err := forget(ctx, t, r.Chat, r.Agents); err != nil {
		return 0, err
	}
	if _, err := t.ExecContext(ctx, beginAnew, r.Chat, agents); err != nil {
		return 0, err
	}
	if _, err := t.ExecContext(ctx, "DELETE FROM notes WHERE chat_id = ? AND agent IN (SELECT value FROM json_each(?))", r.Chat, agents); err != nil {
		return 0, err
	}
	if r.Notice != "" {
		if _, err := appendEvents(ctx, t, r.Chat, []orchestrator.Event{{Kind: orchestrator.EventNotice, Text: r.Notice}}); err != nil {
			return 0, err
		}
	}
	if r.ClearLog {
		if _, err := t.ExecContext(ctx, clearLog, r.Chat); err != nil {
			return 0, err
		}
	}
	var logAfter orchestrator.Seq
	return logAfter, t.GetContext(ctx, &logAfter, "SELECT log_after FROM chats WHERE id = ?", r.Chat)
}

const beginAnew = `
UPDATE sessions SET reset_turn = (SELECT coalesce(max(number), 0) FROM turns WHERE chat_id = ?1 AND state <> 'queued')
WHERE chat_id = ?1 AND agent IN (SELECT value FROM json_each(?2))`

const clearLog = `UPDATE chats SET log_after = (SELECT max(seq) FROM events WHERE chat_id = ?1) WHERE id = ?1`

const putForgotten = `
INSERT OR REPLACE INTO forgotten (agent, native_id, chat_id, since_ms)
SELECT agent, native_id, chat_id, ?3 FROM sessions
WHERE chat_id = ?1 AND native_id <> '' AND (?2 = '[]' OR agent IN (SELECT value FROM json_each(?2)))`

const forgetSessions = `
UPDATE sessions SET native_id = '', state = 'none', rung = '', seen_turn = 0, last_err = '', generation = generation + 1,
    context_used = 0
WHERE chat_id = ?1 AND (?2 = '[]' OR agent IN (SELECT value FROM json_each(?2)))`

// forget lists the sessions of agents, of all if there are none, as such that
// the agents are to delete, and has boo know of them no more.
func forget(ctx context.Context, t *tx, chat orchestrator.ChatID, agents []orchestrator.AgentName) error {
	names := list(append([]orchestrator.AgentName{}, agents...)) // nil would be null
	if _, err := t.ExecContext(ctx, putForgotten, chat, names, millis(t.now)); err != nil {
		return err
	}
	_, err := t.ExecContext(ctx, forgetSessions, chat, names)
	return err
}

type forgottenRow struct {
	Agent    orchestrator.AgentName `db:"agent"`
	NativeID string                 `db:"native_id"`
	Chat     orchestrator.ChatID    `db:"chat_id"`
	Since    int64                  `db:"since_ms"`
}

func (r forgottenRow) forgotten() (orchestrator.ForgottenSession, error) {
	return orchestrator.ForgottenSession{Agent: r.Agent, NativeID: r.NativeID, Chat: r.Chat, Since: instant(r.Since)}, nil
}

// Forgotten lists the sessions that agents are to delete, of a chat unless it is
// "".
func (s *Store) Forgotten(ctx context.Context, chat orchestrator.ChatID) ([]orchestrator.ForgottenSession, error) {
	var rows []forgottenRow
	err := s.read(ctx, "list the sessions to delete", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM forgotten WHERE ?1 = '' OR chat_id = ?1 ORDER BY agent, native_id", chat)
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, forgottenRow.forgotten)
}

// DropForgotten takes a session off the list of those to delete.
func (s *Store) DropForgotten(ctx context.Context, f orchestrator.ForgottenSession) error {
	return s.write(ctx, logged, "store that the session is deleted", func(t *tx) error {
		_, err := t.ExecContext(ctx, "DELETE FROM forgotten WHERE agent = ? AND native_id = ?", f.Agent, f.NativeID)
		return err
	})
}
