package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type turnRow struct {
	ID         orchestrator.TurnID    `db:"id"`
	Chat       orchestrator.ChatID    `db:"chat_id"`
	Number     int64                  `db:"number"`
	Agent      orchestrator.AgentName `db:"agent"`
	Model      string                 `db:"model"`
	Mode       string                 `db:"mode"`
	State      orchestrator.TurnState `db:"state"`
	Before     orchestrator.ObjectID  `db:"before_commit"`
	After      orchestrator.ObjectID  `db:"after_commit"`
	Rung       orchestrator.Rung      `db:"rung"`
	OwnerBoot  string                 `db:"owner_boot"`
	OwnerPID   int                    `db:"owner_pid"`
	OwnerStart int64                  `db:"owner_start"`
	Sent       int64                  `db:"sent_ms"`
	Started    int64                  `db:"started_ms"`
	Ended      int64                  `db:"ended_ms"`
	Stop       string                 `db:"stop"`
	Reason     string                 `db:"reason"`
	Hint       string                 `db:"hint"`
	Calls      int                    `db:"calls"`
	Prompt     string                 `db:"prompt"`
	Key        string                 `db:"send_key"`
	RetryOf    orchestrator.TurnID    `db:"retry_of"`
	usageRow
	Provisional bool `db:"provisional"`
	Corrected   bool `db:"corrected"`
}

func (r turnRow) turn() (orchestrator.Turn, error) {
	return orchestrator.Turn{
		ID: r.ID, Chat: r.Chat, Number: r.Number, Agent: r.Agent, Model: r.Model, Mode: r.Mode, Prompt: r.Prompt, Key: r.Key, RetryOf: r.RetryOf,
		State: r.State, Reason: r.Reason, Hint: r.Hint, Calls: r.Calls, Stop: r.Stop, Before: r.Before, After: r.After, Rung: r.Rung, Usage: r.usage(),
		Owner: orchestrator.Owner{BootID: r.OwnerBoot, PID: r.OwnerPID, StartTime: uint64(r.OwnerStart)},
		Sent:  instant(r.Sent), Started: instant(r.Started), Ended: instant(r.Ended),
		Provisional: r.Provisional, Corrected: r.Corrected,
	}, nil
}

func rowOfTurn(t orchestrator.Turn) turnRow {
	return turnRow{
		ID: t.ID, Chat: t.Chat, Number: t.Number, Agent: t.Agent, Model: t.Model, Mode: t.Mode, Prompt: t.Prompt, Key: t.Key, RetryOf: t.RetryOf,
		State: t.State, Reason: t.Reason, Hint: t.Hint, Calls: t.Calls, Stop: t.Stop, Before: t.Before, After: t.After, Rung: t.Rung, usageRow: usageRow(t.Usage),
		OwnerBoot: t.Owner.BootID, OwnerPID: t.Owner.PID, OwnerStart: int64(t.Owner.StartTime),
		Sent: millis(t.Sent), Started: millis(t.Started), Ended: millis(t.Ended),
	}
}

// Turn returns a turn.
func (s *Store) Turn(ctx context.Context, id orchestrator.TurnID) (turn orchestrator.Turn, err error) {
	err = s.read(ctx, "look up the turn", func(q sqlx.QueryerContext) error {
		turn, err = turnByID(ctx, q, id)
		return err
	})
	return turn, err
}

func turnByID(ctx context.Context, q sqlx.QueryerContext, id orchestrator.TurnID) (orchestrator.Turn, error) {
	var row turnRow
	if err := sqlx.GetContext(ctx, q, &row, "SELECT * FROM turns WHERE id = ?", id); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = orchestrator.Errorf(orchestrator.CodeNotFound, "no turn %s", id).WithHint("boo chat show")
		}
		return orchestrator.Turn{}, err
	}
	return row.turn()
}

// Turns lists a chat's turns by number.
func (s *Store) Turns(ctx context.Context, chat orchestrator.ChatID) ([]orchestrator.Turn, error) {
	return s.turns(ctx, "SELECT * FROM turns WHERE chat_id = ? ORDER BY number", chat)
}

// The condition is, word for word, that of the index turns_open.
const selectOpenTurns = `
SELECT * FROM turns WHERE state IN ('queued', 'accepted', 'running', 'cancelling') ORDER BY chat_id, number`

// OpenTurns lists the turns of all chats that are not terminal, in the order of
// chat and number.
func (s *Store) OpenTurns(ctx context.Context) ([]orchestrator.Turn, error) {
	return s.turns(ctx, selectOpenTurns)
}

func (s *Store) turns(ctx context.Context, query string, args ...any) ([]orchestrator.Turn, error) {
	var rows []turnRow
	err := s.read(ctx, "list turns", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, query, args...)
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, turnRow.turn)
}
