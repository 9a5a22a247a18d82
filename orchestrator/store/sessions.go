package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type sessionRow struct {
	Chat     orchestrator.ChatID       `db:"chat_id"`
	Agent    orchestrator.AgentName    `db:"agent"`
	Backend  string                    `db:"backend"`
	NativeID string                    `db:"native_id"`
	State    orchestrator.SessionState `db:"state"`
	Rung     orchestrator.Rung         `db:"rung"`
	Version  string                    `db:"version"`
	SeenTurn int64                     `db:"seen_turn"`
	Used     int64                     `db:"used_ms"`
	LastErr  string                    `db:"last_err"`
	Caps     []byte                    `db:"caps"`
	// What a reset sets.
	Generation int64 `db:"generation"`
	ResetTurn  int64 `db:"reset_turn"`
	usageRow
}

func (r sessionRow) session() (orchestrator.Session, error) {
	s := orchestrator.Session{
		Chat: r.Chat, Agent: r.Agent, Backend: r.Backend, NativeID: r.NativeID, State: r.State, Rung: r.Rung,
		Version: r.Version, SeenTurn: r.SeenTurn, Usage: r.usage(), LastErr: r.LastErr, UsedAt: instant(r.Used),
		Generation: r.Generation, ResetTurn: r.ResetTurn,
	}
	if len(r.Caps) > 0 {
		s.Caps = r.Caps
	}
	return s, nil
}

func rowOfSession(s orchestrator.Session) sessionRow {
	return sessionRow{
		Chat: s.Chat, Agent: s.Agent, Backend: s.Backend, NativeID: s.NativeID, State: s.State, Rung: s.Rung,
		Version: s.Version, SeenTurn: s.SeenTurn, Used: millis(s.UsedAt), LastErr: s.LastErr,
		Caps: append([]byte{}, s.Caps...), Generation: s.Generation, // nil would be NULL
	}
}

// Session returns the zero session in state none if there is no row.
func (s *Store) Session(ctx context.Context, chat orchestrator.ChatID, agent orchestrator.AgentName) (session orchestrator.Session, err error) {
	err = s.read(ctx, "look up the session", func(q sqlx.QueryerContext) error {
		session, err = sessionOf(ctx, q, chat, agent)
		return err
	})
	return session, err
}

func sessionOf(ctx context.Context, q sqlx.QueryerContext, chat orchestrator.ChatID, agent orchestrator.AgentName) (orchestrator.Session, error) {
	var row sessionRow
	err := sqlx.GetContext(ctx, q, &row, "SELECT * FROM sessions WHERE chat_id = ? AND agent = ?", chat, agent)
	if errors.Is(err, sql.ErrNoRows) {
		return orchestrator.Session{Chat: chat, Agent: agent, State: orchestrator.SessionNone}, nil
	}
	if err != nil {
		return orchestrator.Session{}, err
	}
	return row.session()
}

// Sessions lists a chat's sessions, the oldest first.
func (s *Store) Sessions(ctx context.Context, chat orchestrator.ChatID) ([]orchestrator.Session, error) {
	var rows []sessionRow
	err := s.read(ctx, "list sessions", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM sessions WHERE chat_id = ? ORDER BY rowid", chat)
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, sessionRow.session)
}

// SessionStates counts the sessions of all chats by state.
func (s *Store) SessionStates(ctx context.Context) (map[orchestrator.SessionState]int, error) {
	var rows []struct {
		State orchestrator.SessionState `db:"state"`
		Count int                       `db:"n"`
	}
	err := s.read(ctx, "count sessions", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT state, count(*) AS n FROM sessions GROUP BY state")
	})
	if err != nil {
		return nil, err
	}
	states := make(map[orchestrator.SessionState]int, len(rows))
	for _, row := range rows {
		states[row.State] = row.Count
	}
	return states, nil
}

const moveSession = `
UPDATE sessions SET state = ?, last_err = CASE ? WHEN '' THEN last_err ELSE ? END
WHERE chat_id = ? AND agent = ? AND generation = ? AND state IN (?)`

// MoveSession sets the state of a session that is in one of some states, and was
// not reset meanwhile.
func (s *Store) MoveSession(ctx context.Context, session orchestrator.Session, from []orchestrator.SessionState, to orchestrator.SessionState, lastErr string) (moved bool, err error) {
	query, args, err := sqlx.In(moveSession, to, lastErr, lastErr, session.Chat, session.Agent, session.Generation, from)
	if err != nil {
		return false, err
	}
	err = s.write(ctx, logged, "move the session", func(t *tx) error {
		result, err := t.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		moved = n > 0
		return err
	})
	return moved, err
}

const evictSessions = `
UPDATE sessions SET state = 'evicted' WHERE state IN ('starting', 'idle', 'busy', 'cancelling')
    AND chat_id NOT IN (SELECT chat_id FROM turns WHERE state IN ('queued', 'accepted', 'running', 'cancelling'))`

// EvictSessions sets the sessions that are on record as live, in chats without an
// open turn, to evicted.
func (s *Store) EvictSessions(ctx context.Context) error {
	return s.write(ctx, logged, "evict sessions", func(t *tx) error {
		_, err := t.ExecContext(ctx, evictSessions)
		return err
	})
}

// PutSession stores all of session but its lifetime usage and what a reset sets.
// CodeNotFound if the chat is not there, CodeConflict if the session was reset
// since it was read.
func (s *Store) PutSession(ctx context.Context, session orchestrator.Session) error {
	return s.write(ctx, logged, "store the session", func(t *tx) error {
		return putSession(ctx, t, session)
	})
}

const upsertSession = `
INSERT INTO sessions (chat_id, agent, backend, native_id, state, rung, version, seen_turn, used_ms, last_err, caps, generation)
VALUES (:chat_id, :agent, :backend, :native_id, :state, :rung, :version, :seen_turn, :used_ms, :last_err, :caps, :generation)
ON CONFLICT (chat_id, agent) DO UPDATE SET backend = excluded.backend, native_id = excluded.native_id,
    state = excluded.state, rung = excluded.rung, version = excluded.version, seen_turn = excluded.seen_turn,
    used_ms = excluded.used_ms, last_err = excluded.last_err, caps = excluded.caps
    WHERE sessions.generation = excluded.generation`

func putSession(ctx context.Context, t *tx, session orchestrator.Session) error {
	result, err := t.NamedExecContext(ctx, upsertSession, rowOfSession(session))
	if isDangling(err) {
		return orchestrator.Errorf(orchestrator.CodeNotFound, "no chat %s", session.Chat)
	}
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return wasReset(session)
}

func wasReset(s orchestrator.Session) error {
	return orchestrator.Errorf(orchestrator.CodeConflict, "the session of %s in chat %s was reset meanwhile", s.Agent, s.Chat)
}

const setSessionUsage = `
UPDATE sessions SET input = :input, output = :output, cache_read = :cache_read, cache_write = :cache_write,
    cost = :cost, currency = :currency, context_used = :context_used, context_size = :context_size
WHERE chat_id = :chat_id AND agent = :agent`

// addUsage adds what a turn cost to its session's lifetime.
func addUsage(ctx context.Context, t *tx, chat orchestrator.ChatID, agent orchestrator.AgentName, more orchestrator.Usage) error {
	if more == (orchestrator.Usage{}) {
		return nil
	}
	session, err := sessionOf(ctx, t, chat, agent)
	if err != nil {
		return err
	}
	// There is no row yet where the agent was never reached.
	if err := putSession(ctx, t, session); err != nil {
		return err
	}
	_, err = t.NamedExecContext(ctx, setSessionUsage, sessionRow{Chat: chat, Agent: agent, usageRow: usageRow(session.Usage.Plus(more))})
	return err
}
