package store

import (
	"context"

	"boo/orchestrator"
)

// MoveTurn takes a turn to a state that is not terminal, and appends the turn
// event. CodeBusy if the turn is not in a state that may become it, or if
// another turn of the chat is live.
func (s *Store) MoveTurn(ctx context.Context, id orchestrator.TurnID, to orchestrator.TurnState, reason string) (events []orchestrator.Event, err error) {
	if to.Terminal() {
		return nil, orchestrator.Errorf(orchestrator.CodeInvalid, "move turn %s to %q: an end is stored by EndTurn", id, to)
	}
	how := logged // what is lost with it has not reached the agent
	if to == orchestrator.TurnRunning {
		how = synced
	}
	err = s.write(ctx, how, "store the state of the turn", func(t *tx) error {
		events, err = moveTurn(ctx, t, id, to, reason)
		return err
	})
	return events, err
}

const setTurnState = `
UPDATE turns SET state = ?2, reason = ?3, started_ms = CASE WHEN ?2 = 'running' THEN ?4 ELSE started_ms END WHERE id = ?1`

func moveTurn(ctx context.Context, t *tx, id orchestrator.TurnID, to orchestrator.TurnState, reason string) ([]orchestrator.Event, error) {
	turn, err := movable(ctx, t, id, to)
	if err != nil {
		return nil, err
	}
	_, err = t.ExecContext(ctx, setTurnState, id, to, reason, millis(t.now))
	if isTaken(err) {
		return nil, orchestrator.Errorf(orchestrator.CodeBusy, "another turn of chat %s is not over yet", turn.Chat)
	}
	if err != nil {
		return nil, err
	}
	return appendEvents(ctx, t, turn.Chat, []orchestrator.Event{turnEvent(id, to, reason)})
}

// movable returns the turn if its state may become to. The transaction holds
// the write lock, so it stays in that state until the caller has moved it.
func movable(ctx context.Context, t *tx, id orchestrator.TurnID, to orchestrator.TurnState) (orchestrator.Turn, error) {
	turn, err := turnByID(ctx, t, id)
	if err != nil {
		return turn, err
	}
	if !turn.State.CanBecome(to) {
		return turn, orchestrator.Errorf(orchestrator.CodeBusy, "turn %s is %s, and cannot become %s from there", id, turn.State, to)
	}
	return turn, nil
}

func turnEvent(id orchestrator.TurnID, state orchestrator.TurnState, reason string) orchestrator.Event {
	return orchestrator.Event{Turn: id, Kind: orchestrator.EventTurn, State: state, Text: reason}
}

// SetBefore stores the snapshot before the turn, and the person's share.
// CodeBusy if the turn is over, CodeConflict as with [Store.EndTurn].
func (s *Store) SetBefore(ctx context.Context, id orchestrator.TurnID, before orchestrator.ObjectID, delta orchestrator.ChangeDelta) error {
	return s.write(ctx, logged, "store the snapshot before the turn", func(t *tx) error {
		turn, err := turnByID(ctx, t, id)
		if err != nil {
			return err
		}
		if turn.State.Terminal() {
			return orchestrator.Errorf(orchestrator.CodeBusy, "turn %s is %s already", id, turn.State)
		}
		if _, err := t.ExecContext(ctx, "UPDATE turns SET before_commit = ? WHERE id = ?", before, id); err != nil {
			return err
		}
		return storeDelta(ctx, t, delta)
	})
}
