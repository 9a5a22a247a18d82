package store

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

type reaperRow struct {
	ID     int64  `db:"id"`
	Boot   string `db:"boot_id"`
	Up     int64  `db:"up_ms"`
	Wall   int64  `db:"wall_ms"`
	Steady int64  `db:"steady_ms"`
	Next   int64  `db:"next_ms"`
}

// Clock returns what the reaper knew of the clock when it last looked, and when
// it meant to look next; zero before the first time.
func (s *Store) Clock(ctx context.Context) (c orchestrator.ClockReading, next time.Time, err error) {
	var rows []reaperRow
	err = s.read(ctx, "look up the reaper's clock", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM reaper")
	})
	if err != nil || len(rows) == 0 {
		return c, next, err
	}
	r := rows[0]
	return orchestrator.ClockReading{
		Boot: r.Boot, Up: time.Duration(r.Up) * time.Millisecond, Wall: instant(r.Wall), Steady: instant(r.Steady),
	}, instant(r.Next), nil
}

// PutClock stores what the reaper knows of the clock, and when it means to look
// next.
func (s *Store) PutClock(ctx context.Context, c orchestrator.ClockReading, next time.Time) error {
	return s.write(ctx, logged, "store the reaper's clock", func(t *tx) error {
		_, err := t.NamedExecContext(ctx, `
			INSERT OR REPLACE INTO reaper (id, boot_id, up_ms, wall_ms, steady_ms, next_ms)
			VALUES (1, :boot_id, :up_ms, :wall_ms, :steady_ms, :next_ms)`,
			reaperRow{Boot: c.Boot, Up: c.Up.Milliseconds(), Wall: millis(c.Wall), Steady: millis(c.Steady), Next: millis(next)})
		return err
	})
}

type sweepChatRow struct {
	worktreeRow
	ChatState orchestrator.ChatState `db:"chat_state"`
	Used      int64                  `db:"used_ms"`
	Closed    int64                  `db:"closed_ms"`
	Pending   int                    `db:"pending"`
	Busy      bool                   `db:"busy"`
}

func (r sweepChatRow) chat() (orchestrator.SweepChat, error) {
	return orchestrator.SweepChat{
		Worktree: r.worktree(), State: r.ChatState, UsedAt: instant(r.Used), ClosedAt: instant(r.Closed), ArchivedAt: instant(r.Archived),
		Pending: r.Pending, Busy: r.Busy,
	}, nil
}

const selectSweepChats = `
SELECT w.*, c.state AS chat_state, c.last_used_ms AS used_ms, c.closed_ms, c.pending,
       EXISTS (SELECT 1 FROM turns t WHERE t.chat_id = w.chat_id AND t.state IN ('queued', 'accepted', 'running', 'cancelling')) AS busy
FROM worktrees w JOIN chats c ON c.id = w.chat_id
WHERE w.state IN (SELECT value FROM json_each(?)) AND w.chat_id > ?
ORDER BY w.chat_id LIMIT ?`

// SweepChats lists chats whose worktrees are in one of the states, by their ids,
// from the one after a given id on.
func (s *Store) SweepChats(ctx context.Context, states []orchestrator.WorktreeState, after orchestrator.ChatID, limit int) ([]orchestrator.SweepChat, error) {
	var rows []sweepChatRow
	err := s.read(ctx, "list chats to sweep", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, selectSweepChats, list(states), after, atMost(limit))
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, sweepChatRow.chat)
}

// Owns says whose directory the one of a chat's id is: that of a chat whose
// worktree is in the returned state, of a spare, or nobody's.
func (s *Store) Owns(ctx context.Context, chat orchestrator.ChatID) (state orchestrator.WorktreeState, spare bool, err error) {
	var row struct {
		State string `db:"state"`
		Spare bool   `db:"spare"`
	}
	err = s.read(ctx, "look up whose a directory is", func(q sqlx.QueryerContext) error {
		return sqlx.GetContext(ctx, q, &row, `
			SELECT coalesce((SELECT state FROM worktrees WHERE chat_id = ?1), '') AS state, EXISTS (SELECT 1 FROM spares WHERE chat_id = ?1) AS spare`, chat)
	})
	return orchestrator.WorktreeState(row.State), row.Spare, err
}

// Repos lists all repositories, the oldest first.
func (s *Store) Repos(ctx context.Context) ([]orchestrator.Repo, error) {
	var rows []repoRow
	err := s.read(ctx, "list repositories", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM repos ORDER BY created_ms, id")
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, func(r repoRow) (orchestrator.Repo, error) { return r.repo(), nil })
}

// DropChecks forgets how checks ended before a time, unless changes that they
// were about are pending. It returns how many.
func (s *Store) DropChecks(ctx context.Context, before time.Time) (dropped int64, err error) {
	err = s.write(ctx, logged, "forget old checks", func(t *tx) error {
		result, err := t.ExecContext(ctx, `
			DELETE FROM check_runs WHERE ended_ms < ? AND NOT EXISTS (
			    SELECT 1 FROM check_changes l JOIN changes c ON c.id = l.change_id WHERE l.run_id = check_runs.id AND c.state = 'pending')`, millis(before))
		if err != nil {
			return err
		}
		dropped, err = result.RowsAffected()
		return err
	})
	return dropped, err
}
