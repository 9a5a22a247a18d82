package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// readOne reads the one value that a query has.
func (s *Store) readOne(ctx context.Context, doing string, value any, query string, args ...any) error {
	return s.read(ctx, doing, func(q sqlx.QueryerContext) error { return sqlx.GetContext(ctx, q, value, query, args...) })
}

const (
	selectGeneration = "SELECT coalesce((SELECT generation FROM sessions WHERE chat_id = ? AND agent = ?), 0)"
	selectNewest     = `
SELECT * FROM checkpoints WHERE chat_id = ? AND agent = ? AND generation = ? AND step < ? AND quarantined_ms = 0 ORDER BY step DESC LIMIT 1`
)

// LatestCheckpoint returns the newest checkpoint, of the session's current
// generation, that holds; see [orchestrator.CheckpointStore].
func (s *Store) LatestCheckpoint(ctx context.Context, chat orchestrator.ChatID, agent orchestrator.AgentName) (latest orchestrator.Checkpoint, bad []orchestrator.Checkpoint, err error) {
	const doing = "look up the newest checkpoint"
	var generation int64
	if err := s.readOne(ctx, doing, &generation, selectGeneration, chat, agent); err != nil {
		return latest, nil, err
	}
	const all = int64(1) << 62
	for below := all; ; below = latest.Step {
		var row checkpointRow
		err := s.read(ctx, doing, func(q sqlx.QueryerContext) error {
			err := sqlx.GetContext(ctx, q, &row, selectNewest, chat, agent, generation, below)
			return orMissing(err, "checkpoint of", agent)
		})
		if err != nil && orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
			return orchestrator.Checkpoint{}, bad, err
		}
		if err != nil {
			return orchestrator.Checkpoint{}, bad, errors.Join(err, s.SetAside(ctx, bad))
		}
		latest = row.checkpoint().Checkpoint
		if latest.Fault() == "" {
			return latest, bad, s.SetAside(ctx, bad)
		}
		bad = append(bad, latest)
	}
}

// SetAside marks checkpoints as damaged: nothing uses them any more.
func (s *Store) SetAside(ctx context.Context, bad []orchestrator.Checkpoint) error {
	if len(bad) == 0 {
		return nil
	}
	return s.write(ctx, synced, "set damaged checkpoints aside", func(t *tx) error {
		for _, c := range bad {
			_, err := t.ExecContext(ctx, "UPDATE checkpoints SET quarantined_ms = ? WHERE chat_id = ? AND agent = ? AND generation = ? AND step = ? AND quarantined_ms = 0",
				millis(t.now), c.Chat, c.Agent, c.Generation, c.Step)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Checkpoints lists checkpoints, the newest first, as they are stored.
func (s *Store) Checkpoints(ctx context.Context, q orchestrator.CheckpointQuery) ([]orchestrator.StoredCheckpoint, error) {
	var f filter
	if q.Chat != "" {
		f.and("chat_id = ?", q.Chat)
	}
	if q.Agent != "" {
		f.and("agent = ?", q.Agent)
	}
	if q.Turn != "" {
		f.and("turn_id = ?", q.Turn)
	}
	if q.Step > 0 {
		f.and("step = ?", q.Step)
	}
	if q.Current {
		f.and("generation = coalesce((SELECT generation FROM sessions s WHERE s.chat_id = checkpoints.chat_id AND s.agent = checkpoints.agent), 0)")
	}
	var rows []checkpointRow
	err := s.read(ctx, "list checkpoints", func(db sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, db, &rows, "SELECT * FROM checkpoints "+f.where()+" ORDER BY at_ms DESC, chat_id, agent, generation DESC, step DESC LIMIT ?", append(f.args, atMost(q.Limit))...)
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, func(r checkpointRow) (orchestrator.StoredCheckpoint, error) { return r.checkpoint(), nil })
}

// PutCheckpoint stores one that was lost; see [orchestrator.CheckpointStore].
func (s *Store) PutCheckpoint(ctx context.Context, c orchestrator.Checkpoint) (stored bool, err error) {
	err = s.write(ctx, synced, "store the checkpoint", func(t *tx) error {
		stored, err = restoreCheckpoint(ctx, t, c)
		return err
	})
	return stored, err
}

// What a checkpoint is about has to be there: the turn in its chat, by the agent
// that took it, the events up to it, the generation.
const selectFits = `
SELECT count(*) FROM turns t WHERE t.id = ?1 AND t.chat_id = ?2 AND t.agent = ?3
    AND ?4 <= coalesce((SELECT generation FROM sessions WHERE chat_id = ?2 AND agent = ?3), 0)
    AND ?5 <= (SELECT coalesce(max(seq), 0) FROM events WHERE chat_id = ?2)`

func restoreCheckpoint(ctx context.Context, t *tx, c orchestrator.Checkpoint) (bool, error) {
	var fits int
	if err := t.GetContext(ctx, &fits, selectFits, c.Turn, c.Chat, c.Agent, c.Generation, c.Seq); err != nil {
		return false, err
	}
	if fits == 0 {
		return false, orchestrator.Errorf(orchestrator.CodeNotFound, "the store does not have its turn %s, its events or its generation", c.Turn)
	}
	var row checkpointRow
	const one = "chat_id = ? AND agent = ? AND generation = ? AND step = ?"
	err := t.GetContext(ctx, &row, "SELECT * FROM checkpoints WHERE "+one, c.Chat, c.Agent, c.Generation, c.Step)
	switch have := row.checkpoint(); {
	case errors.Is(err, sql.ErrNoRows):
		return true, putCheckpoint(ctx, t, insertCheckpoint, c)
	case err != nil:
		return false, err
	case have.Fault() == "" && have.Digest == c.Digest:
		return false, nil
	case have.Fault() == "" && !have.Aside:
		return false, orchestrator.Errorf(orchestrator.CodeConflict, "another checkpoint has this step")
	}
	if _, err := t.ExecContext(ctx, "DELETE FROM checkpoints WHERE "+one, c.Chat, c.Agent, c.Generation, c.Step); err != nil {
		return false, err
	}
	return true, putCheckpoint(ctx, t, insertCheckpoint, c)
}

// The newest of each generation that hold are kept: keep of the newest one, one
// of each earlier one. What is set aside goes with those that are as old.
const dropCheckpoints = `
WITH kept (agent, generation, step) AS MATERIALIZED (
    SELECT g.agent, g.generation, iif(g.generation = max(g.generation) OVER (PARTITION BY g.agent),
        (SELECT min(step) FROM (SELECT step FROM checkpoints n WHERE n.chat_id = ?1 AND n.agent = g.agent AND n.generation = g.generation
            AND n.quarantined_ms = 0 ORDER BY step DESC LIMIT ?3)),
        (SELECT max(step) FROM checkpoints n WHERE n.chat_id = ?1 AND n.agent = g.agent AND n.generation = g.generation AND n.quarantined_ms = 0))
    FROM (SELECT DISTINCT agent, generation FROM checkpoints WHERE chat_id = ?1 AND (?2 = '' OR agent = ?2)) g)
DELETE FROM checkpoints WHERE chat_id = ?1
    AND step < (SELECT k.step FROM kept k WHERE k.agent = checkpoints.agent AND k.generation = checkpoints.generation)`

// DropCheckpoints removes old checkpoints; see [orchestrator.CheckpointStore].
func (s *Store) DropCheckpoints(ctx context.Context, chat orchestrator.ChatID, agent orchestrator.AgentName, keep int) (dropped int, err error) {
	err = s.write(ctx, synced, "remove old checkpoints", func(t *tx) error {
		result, err := t.ExecContext(ctx, dropCheckpoints, chat, agent, max(keep, 1))
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		dropped = int(n)
		return err
	})
	return dropped, err
}
