package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"boo/orchestrator"
)

// payload is an event's JSON without what stands in columns: the fields here
// hide those of the same name in Event, and are never set.
type payload struct {
	orchestrator.Event
	Seq  *struct{} `json:"seq,omitempty"`
	Chat *struct{} `json:"chat,omitempty"`
	Turn *struct{} `json:"turn,omitempty"`
	At   *struct{} `json:"at,omitempty"`
	Kind *struct{} `json:"kind,omitempty"`
}

type eventRow struct {
	Chat    orchestrator.ChatID    `db:"chat_id"`
	Seq     orchestrator.Seq       `db:"seq"`
	Turn    reference              `db:"turn_id"`
	At      int64                  `db:"at_ms"`
	Kind    orchestrator.EventKind `db:"kind"`
	Payload []byte                 `db:"payload"`
}

func (r eventRow) event() (orchestrator.Event, error) {
	var p payload
	if err := json.Unmarshal(r.Payload, &p); err != nil {
		return p.Event, fmt.Errorf("read event %d of chat %s: %w", r.Seq, r.Chat, err)
	}
	ev := p.Event
	ev.Seq, ev.Chat, ev.Turn, ev.At, ev.Kind = r.Seq, r.Chat, orchestrator.TurnID(r.Turn), instant(r.At), r.Kind
	return ev, nil
}

// AppendEvents numbers and stores events of one chat in one transaction,
// without waiting for the disk, and returns them with Chat, Seq and At as they
// are stored. CodeNotFound if the chat or a turn is not there.
func (s *Store) AppendEvents(ctx context.Context, chat orchestrator.ChatID, events []orchestrator.Event) (stored []orchestrator.Event, err error) {
	if len(events) == 0 {
		return nil, nil
	}
	err = s.write(ctx, logged, "store events", func(t *tx) error {
		stored, err = appendEvents(ctx, t, chat, events)
		return err
	})
	return stored, err
}

// AppendTold is AppendEvents for what an agent told in a session. CodeConflict,
// and nothing is stored, if that was reset since session was read, or if steps,
// which are stored with them, do not follow on the session's newest checkpoint.
func (s *Store) AppendTold(ctx context.Context, session orchestrator.Session, events []orchestrator.Event, steps []orchestrator.Step) (stored []orchestrator.Event, err error) {
	err = s.write(ctx, logged, "store events", func(t *tx) error {
		var generation int64
		err := t.GetContext(ctx, &generation, "SELECT coalesce(max(generation), 0) FROM sessions WHERE chat_id = ? AND agent = ?", session.Chat, session.Agent)
		if err != nil {
			return err
		}
		if generation != session.Generation {
			return wasReset(session)
		}
		if stored, err = appendEvents(ctx, t, session.Chat, events); err != nil {
			return err
		}
		return putSteps(ctx, t, generation, stored, steps)
	})
	return stored, err
}

// A batch is one statement, and one argument for all of its rows: an array of
// [turn, time, kind, payload], twice as fast as a statement for each.
const insertEvents = `
INSERT INTO events (chat_id, seq, turn_id, at_ms, kind, payload)
SELECT ?1, (SELECT coalesce(max(seq), 0) FROM events WHERE chat_id = ?1) + 1 + key,
       nullif(value ->> 0, ''), value ->> 1, value ->> 2, value ->> 3
FROM json_each(?2)`

func appendEvents(ctx context.Context, t *tx, chat orchestrator.ChatID, events []orchestrator.Event) ([]orchestrator.Event, error) {
	stored := make([]orchestrator.Event, len(events))
	rows := make([][4]any, len(events))
	for i, ev := range events {
		ev.Chat, ev.At = chat, instant(millis(orNow(ev.At, t.now)))
		text, err := json.Marshal(payload{Event: ev})
		if err != nil {
			return nil, fmt.Errorf("write event of kind %s: %w", ev.Kind, err)
		}
		stored[i], rows[i] = ev, [4]any{ev.Turn, millis(ev.At), ev.Kind, string(text)}
	}
	batch, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	_, err = t.ExecContext(ctx, insertEvents, chat, string(batch))
	if isDangling(err) {
		return nil, orchestrator.Errorf(orchestrator.CodeNotFound, "no chat %s, or not the turns of its events", chat)
	}
	if err != nil {
		return nil, err
	}
	return stored, number(ctx, t, chat, stored)
}

// number reads which numbers the events that were just inserted have got: the
// last ones, since nobody else can have written.
func number(ctx context.Context, t *tx, chat orchestrator.ChatID, events []orchestrator.Event) error {
	var last orchestrator.Seq
	if err := t.GetContext(ctx, &last, "SELECT max(seq) FROM events WHERE chat_id = ?", chat); err != nil {
		return err
	}
	for i := range events {
		events[i].Seq = last - orchestrator.Seq(len(events)-1-i)
	}
	return nil
}

func orNow(at, now time.Time) time.Time {
	if at.IsZero() {
		return now
	}
	return at
}

// Events lists a chat's events after a number, in order, at most limit, or all
// if limit is 0; only those of one turn unless turn is "".
func (s *Store) Events(ctx context.Context, chat orchestrator.ChatID, turn orchestrator.TurnID, after orchestrator.Seq, limit int) ([]orchestrator.Event, error) {
	var f filter
	f.and("chat_id = ?", chat)
	f.and("seq > ?", after)
	if turn != "" {
		f.and("turn_id = ?", turn)
	}
	var rows []eventRow
	err := s.read(ctx, "list events", func(q sqlx.QueryerContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, q, &rows, "SELECT * FROM events "+f.where()+" ORDER BY seq LIMIT ?", append(f.args, atMost(limit))...)
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, eventRow.event)
}
