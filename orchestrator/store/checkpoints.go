package store

import (
	"context"
	"encoding/json"
	"fmt"

	"boo/orchestrator"
)

type checkpointRow struct {
	Chat       orchestrator.ChatID           `db:"chat_id"`
	Agent      orchestrator.AgentName        `db:"agent"`
	Generation int64                         `db:"generation"`
	Step       int64                         `db:"step"`
	Turn       orchestrator.TurnID           `db:"turn_id"`
	Seq        orchestrator.Seq              `db:"seq"`
	NativeID   string                        `db:"native_id"`
	Tree       orchestrator.ObjectID         `db:"tree"`
	Status     orchestrator.CheckpointStatus `db:"status"`
	Reason     string                        `db:"reason"`
	At         int64                         `db:"at_ms"`
	Calls      string                        `db:"calls"`
	More       int                           `db:"more"`
	Digest     string                        `db:"digest"`
	Aside      int64                         `db:"quarantined_ms"`
}

// checkpoint never fails: calls that cannot be read are none, and the digest
// tells.
func (r checkpointRow) checkpoint() orchestrator.StoredCheckpoint {
	c := orchestrator.Checkpoint{
		Chat: r.Chat, Agent: r.Agent, Generation: r.Generation, Step: r.Step, Turn: r.Turn, Seq: r.Seq, NativeID: r.NativeID,
		Tree: r.Tree, Status: r.Status, Reason: r.Reason, At: instant(r.At), More: r.More, Digest: r.Digest,
	}
	if r.Calls != "" && json.Unmarshal([]byte(r.Calls), &c.Open) != nil {
		c.Open, c.More = nil, -1 // as no checkpoint is
	}
	return orchestrator.StoredCheckpoint{Checkpoint: c, Aside: r.Aside != 0}
}

func rowOfCheckpoint(c orchestrator.Checkpoint) (checkpointRow, error) {
	r := checkpointRow{
		Chat: c.Chat, Agent: c.Agent, Generation: c.Generation, Step: c.Step, Turn: c.Turn, Seq: c.Seq, NativeID: c.NativeID,
		Tree: c.Tree, Status: c.Status, Reason: c.Reason, At: millis(c.At), More: c.More, Digest: c.Digest,
	}
	if len(c.Open) == 0 {
		return r, nil
	}
	calls, err := json.Marshal(c.Open)
	r.Calls = string(calls)
	return r, err
}

const (
	insertCheckpoint = `
INSERT INTO checkpoints (chat_id, agent, generation, step, turn_id, seq, native_id, tree, status, reason, at_ms, calls, more, digest)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14`
	// Who has not seen the newest one is not whose turn it is.
	insertNextCheckpoint = insertCheckpoint + `
WHERE ?4 = 1 + coalesce((SELECT step FROM checkpoints WHERE chat_id = ?1 AND agent = ?2 AND generation = ?3 ORDER BY step DESC LIMIT 1), 0)`
)

// putCheckpoint stores one that is complete but for its digest. CodeConflict,
// and nothing is stored, if the insert finds no place for it.
func putCheckpoint(ctx context.Context, t *tx, insert string, c orchestrator.Checkpoint) error {
	c.At = instant(millis(orNow(c.At, t.now)))
	c.Digest = c.Sum()
	r, err := rowOfCheckpoint(c)
	if err != nil {
		return fmt.Errorf("write checkpoint %d: %w", c.Step, err)
	}
	result, err := t.ExecContext(ctx, insert, r.Chat, r.Agent, r.Generation, r.Step, r.Turn, r.Seq, r.NativeID, r.Tree, r.Status, r.Reason, r.At, r.Calls, r.More, r.Digest)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		err = orchestrator.Errorf(orchestrator.CodeConflict, "step %d of %s in chat %s does not follow on its newest checkpoint", c.Step, c.Agent, c.Chat)
	}
	return err
}

const selectLastStep = `
SELECT coalesce((SELECT step FROM checkpoints WHERE chat_id = ? AND agent = ? AND generation = ? ORDER BY step DESC LIMIT 1), 0)`

// LastStep returns the number of the newest checkpoint of a session in its
// generation, damaged ones included; 0 if there is none.
func (s *Store) LastStep(ctx context.Context, of orchestrator.Session) (last int64, err error) {
	err = s.readOne(ctx, "look up the newest checkpoint", &last, selectLastStep, of.Chat, of.Agent, of.Generation)
	return last, err
}

// putSteps stores the checkpoints of a batch of events if they follow on the
// newest one.
func putSteps(ctx context.Context, t *tx, generation int64, events []orchestrator.Event, steps []orchestrator.Step) error {
	for _, step := range steps {
		step.Generation, step.Seq = generation, events[step.Event].Seq
		if err := putCheckpoint(ctx, t, insertNextCheckpoint, step.Checkpoint); err != nil {
			return err
		}
	}
	return nil
}

// endSteps stores how a session stands after a turn, and what its agent is to be
// told of that.
func endSteps(ctx context.Context, t *tx, turn orchestrator.Turn, c orchestrator.Checkpoint, seq orchestrator.Seq, note string) error {
	session, err := sessionOf(ctx, t, turn.Chat, turn.Agent)
	if err != nil {
		return err
	}
	if err := t.GetContext(ctx, &c.Step, selectLastStep, turn.Chat, turn.Agent, session.Generation); err != nil {
		return err
	}
	c.Chat, c.Agent, c.Turn, c.Seq = turn.Chat, turn.Agent, turn.ID, seq
	c.Generation, c.NativeID, c.Step = session.Generation, session.NativeID, c.Step+1
	if err := putCheckpoint(ctx, t, insertCheckpoint, c); err != nil || note == "" {
		return err
	}
	_, err = t.ExecContext(ctx, "INSERT INTO notes (chat_id, agent, text) VALUES (?, ?, ?)", turn.Chat, turn.Agent, note)
	return err
}
