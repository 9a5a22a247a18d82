package store

import (
	"context"

	"boo/orchestrator"
)

// EndTurn stores everything that a turn's end changes in one transaction:
// terminal state, snapshot, usage (also added to the session's lifetime), the
// pending set, the summary event and the turn event; a delta without a chat
// changes no pending set. CodeBusy if the turn cannot end so from the state it
// is in; CodeConflict if the baseline, or a row that the delta retires, has
// moved since the delta was computed.
func (s *Store) EndTurn(ctx context.Context, end orchestrator.TurnEnd) (events []orchestrator.Event, err error) {
	if !end.State.Terminal() {
		return nil, orchestrator.Errorf(orchestrator.CodeInvalid, "end turn %s: %q is not an end", end.Turn, end.State)
	}
	err = s.write(ctx, synced, "store the end of the turn", func(t *tx) error {
		events, err = endTurn(ctx, t, end)
		return err
	})
	return events, err
}

func endTurn(ctx context.Context, t *tx, end orchestrator.TurnEnd) ([]orchestrator.Event, error) {
	turn, err := movable(ctx, t, end.Turn, end.State)
	if err != nil {
		return nil, err
	}
	if err := finishTurn(ctx, t, end); err != nil {
		return nil, err
	}
	if err := addUsage(ctx, t, turn.Chat, turn.Agent, end.Usage); err != nil {
		return nil, err
	}
	if err := storeDelta(ctx, t, end.Delta); err != nil {
		return nil, err
	}
	if err := cancelPermissions(ctx, t, turn.ID); err != nil {
		return nil, err
	}
	if err := useChat(ctx, t, turn.Chat); err != nil {
		return nil, err
	}
	ended := turnEvent(turn.ID, end.State, end.Reason)
	ended.Hint = end.Hint
	events, err := appendEvents(ctx, t, turn.Chat, []orchestrator.Event{
		{Turn: turn.ID, Kind: orchestrator.EventSummary, Agent: turn.Agent, Summary: &end.Summary}, ended,
	})
	if err != nil || end.Checkpoint == nil {
		return events, err
	}
	return events, endSteps(ctx, t, turn, *end.Checkpoint, events[1].Seq, end.Note)
}

const setTurnEnd = `
UPDATE turns SET state = :state, reason = :reason, hint = :hint, calls = :calls, stop = :stop, after_commit = :after_commit, provisional = :provisional, rung = :rung, ended_ms = :ended_ms,
    input = :input, output = :output, cache_read = :cache_read, cache_write = :cache_write,
    cost = :cost, currency = :currency, context_used = :context_used, context_size = :context_size
WHERE id = :id`

func finishTurn(ctx context.Context, t *tx, end orchestrator.TurnEnd) error {
	_, err := t.NamedExecContext(ctx, setTurnEnd, turnRow{
		ID: end.Turn, State: end.State, Reason: end.Reason, Hint: end.Hint, Calls: end.Calls, Stop: end.Stop, After: end.After, Provisional: end.Provisional, Rung: end.Rung,
		Ended: millis(t.now), usageRow: usageRow(end.Usage),
	})
	return err
}
