package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// What the log of the reaper keeps at most.
const (
	mostSweeps     = 1000
	mostSweepSteps = 10_000
)

type sweepRow struct {
	ID      int64  `db:"id"`
	Started int64  `db:"started_ms"`
	Ended   int64  `db:"ended_ms"`
	Freed   int64  `db:"freed"`
	Counts  string `db:"counts"`
	Error   string `db:"error"`
}

func (r sweepRow) sweep() (orchestrator.Sweep, error) {
	s := orchestrator.Sweep{ID: r.ID, Started: instant(r.Started), Ended: instant(r.Ended), Freed: r.Freed, Error: r.Error}
	if err := json.Unmarshal([]byte(r.Counts), &s.Counts); err != nil {
		return s, fmt.Errorf("read the counts of sweep %d: %w", r.ID, err)
	}
	return s, nil
}

// BeginSweep stores that a sweep begins, and drops the oldest ones with their
// steps where there are too many.
func (s *Store) BeginSweep(ctx context.Context, sweep orchestrator.Sweep) (id int64, err error) {
	err = s.write(ctx, logged, "store that a sweep begins", func(t *tx) error {
		err := t.GetContext(ctx, &id, "INSERT INTO sweeps (started_ms, ended_ms, freed, counts, error) VALUES (?, 0, 0, '{}', '') RETURNING id", millis(sweep.Started))
		if err != nil {
			return err
		}
		if _, err := t.ExecContext(ctx, "DELETE FROM sweeps WHERE id <= ?", id-mostSweeps); err != nil {
			return err
		}
		_, err = t.ExecContext(ctx, "DELETE FROM sweep_steps WHERE id <= (SELECT max(id) FROM sweep_steps) - ?", mostSweepSteps)
		return err
	})
	return id, err
}

// EndSweep stores what a sweep came to.
func (s *Store) EndSweep(ctx context.Context, sweep orchestrator.Sweep) error {
	counts, err := json.Marshal(sweep.Counts)
	if err != nil {
		return fmt.Errorf("store the end of a sweep: %w", err)
	}
	return s.write(ctx, logged, "store the end of a sweep", func(t *tx) error {
		_, err := t.ExecContext(ctx, "UPDATE sweeps SET ended_ms = ?, freed = ?, counts = ?, error = ? WHERE id = ?",
			millis(sweep.Ended), sweep.Freed, string(counts), sweep.Error, sweep.ID)
		return err
	})
}

// LastSweep returns the newest sweep, nil if there was none.
func (s *Store) LastSweep(ctx context.Context) (last *orchestrator.Sweep, err error) {
	var rows []sweepRow
	err = s.read(ctx, "look up the last sweep", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM sweeps ORDER BY id DESC LIMIT 1")
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	sweep, err := rows[0].sweep()
	return &sweep, err
}

// SweepTotals sums up all sweeps on record: worktrees archived, bytes freed. Of one
// that was cut off, or runs, the log tells what it has archived.
func (s *Store) SweepTotals(ctx context.Context) (archived int, freed int64, err error) {
	var sums struct {
		Archived int   `db:"archived"`
		Freed    int64 `db:"freed"`
	}
	err = s.read(ctx, "sum up the sweeps", func(q sqlx.QueryerContext) error {
		return sqlx.GetContext(ctx, q, &sums, `
SELECT coalesce(sum(counts ->> '$.archive'), 0)
    + (SELECT count(*) FROM sweep_steps WHERE action = 'archive' AND sweep_id IN (SELECT id FROM sweeps WHERE ended_ms = 0)) AS archived,
    coalesce(sum(freed), 0) AS freed
FROM sweeps`)
	})
	return sums.Archived, sums.Freed, err
}

type sweepStepRow struct {
	ID     int64                    `db:"id"`
	Sweep  int64                    `db:"sweep_id"`
	At     int64                    `db:"at_ms"`
	Action orchestrator.SweepAction `db:"action"`
	Chat   orchestrator.ChatID      `db:"chat_id"`
	Path   []byte                   `db:"path"`
	Freed  int64                    `db:"freed"`
	Reason string                   `db:"reason"`
}

func (r sweepStepRow) step() (orchestrator.SweepStep, error) {
	return orchestrator.SweepStep{
		Sweep: r.Sweep, At: instant(r.At), Action: r.Action, Chat: r.Chat, Path: string(r.Path), Reason: r.Reason, Freed: r.Freed,
	}, nil
}

const insertSweepStep = `
INSERT INTO sweep_steps (sweep_id, at_ms, action, chat_id, path, freed, reason)
VALUES (:sweep_id, :at_ms, :action, :chat_id, :path, :freed, :reason)`

// AddSweepSteps stores decisions, without waiting for the disk: what they are
// about is on it, at the latest, with the change that follows.
func (s *Store) AddSweepSteps(ctx context.Context, steps []orchestrator.SweepStep) error {
	return s.write(ctx, logged, "store what the reaper decided", func(t *tx) error {
		for _, step := range steps {
			_, err := t.NamedExecContext(ctx, insertSweepStep, sweepStepRow{
				Sweep: step.Sweep, At: millis(step.At), Action: step.Action, Chat: step.Chat, Path: append([]byte{}, step.Path...),
				Freed: step.Freed, Reason: step.Reason,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// SweepSteps lists the newest decisions, the oldest first; those about one chat
// unless chat is "".
func (s *Store) SweepSteps(ctx context.Context, chat orchestrator.ChatID, limit int) ([]orchestrator.SweepStep, error) {
	var f filter
	if chat != "" {
		f.and("chat_id = ?", chat)
	}
	var rows []sweepStepRow
	err := s.read(ctx, "list what the reaper decided", func(q sqlx.QueryerContext) error {
		rows = nil
		query := fmt.Sprintf("SELECT * FROM (SELECT * FROM sweep_steps %s ORDER BY id DESC LIMIT ?) ORDER BY id", f.where())
		return sqlx.SelectContext(ctx, q, &rows, query, append(f.args, atMost(limit))...)
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, sweepStepRow.step)
}
