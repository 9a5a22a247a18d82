package orchestrator

import (
	"context"
	"fmt"
)

// settleMessage is the commit message of a turn's end.
func settleMessage(t Turn, state TurnState) string {
	return fmt.Sprintf("boo: turn %d of chat %s by %s\n\nBoo-Turn: %s\nBoo-State: %s\n", t.Number, t.Chat, t.Agent, t.ID, state)
}

// settleWatched is settle with what a watcher has seen. The turn ends with that,
// and what was not verified is confirmed right after: who follows the turn need
// not wait for it, as the watch knows what is written from then on. It keeps the
// watch for the next turn, or closes it.
func (e *Engine) settleWatched(ctx context.Context, wt Worktree, t Turn, out outcome, watch TreeWatch) error {
	seen, err := e.settle(ctx, wt, t, out, func(ctx context.Context, by Signature, message string) (Snapshot, error) {
		seen, err := watch.Snapshot(ctx, by, message)
		if err == nil {
			err = watch.Keep(ctx)
		}
		return seen, err
	})
	done := func(err error) {
		if err != nil || out.state != TurnCompleted {
			_ = watch.Close() // nothing is lost with it
			return
		}
		e.watches.keep(wt, watch, watch.Rest(ctx), e.Watched)
	}
	if err != nil || seen.Verified || seen.Commit == "" {
		done(err)
		return err
	}
	t.State = out.state
	return e.confirm(ctx, wt, t, func(ctx context.Context, by Signature, message string) (Snapshot, error) {
		after, err := watch.Confirm(ctx, by, message)
		done(err) // before the turn counts as confirmed: the chat is then as good as free
		return after, err
	}, seen.Commit, "")
}

// settle records how the tree stands after a turn and ends the turn: snapshot,
// pending set, summary and terminal state.
func (e *Engine) settle(ctx context.Context, wt Worktree, t Turn, out outcome, take takeSnapshot) (Snapshot, error) {
	ended := e.Now()
	after, err := take(ctx, e.agentSignature(t.Agent), settleMessage(t, out.state))
	if err != nil {
		return after, e.endUnsnapshotted(ctx, t, out, err)
	}
	e.sayOddities(ctx, wt, t)
	same := after.Tree != "" && after.Tree == out.before // nothing differs, and nobody need look
	err = e.untilBaselineHolds(ctx, t.Chat, func(wt Worktree) (err error) {
		var delta ChangeDelta
		var share []FileChange
		if !same {
			delta, share, err = e.delta(ctx, wt, t.Before, after.Commit, Contribution{Agent: t.Agent, Turn: t.ID})
		}
		if err != nil {
			return err
		}
		left, err := e.pendingAfter(ctx, t.Chat, delta)
		if err != nil {
			return err
		}
		end := TurnEnd{
			Turn: t.ID, State: out.state, Reason: out.reason, Hint: out.hint, Stop: out.stop, After: after.Commit, Provisional: !after.Verified,
			Rung: out.rung, Usage: out.usage, Calls: out.calls, Delta: delta,
			Checkpoint: out.checkpoint(after.Tree), Note: cutOffNote(t, out),
			Summary: TurnSummary{
				State: out.state, Reason: out.reason, Hint: out.hint, Code: out.code, Rung: out.rung, Files: fileStats(share), Usage: out.usage, Calls: out.calls,
				Pending: left, Skipped: after.Skipped, Duration: out.took(ended),
			},
		}
		_, err = e.Store.EndTurn(ctx, end)
		return err
	})
	e.announce(t.Chat)
	return after, err
}

// endUnsnapshotted ends a turn whose work could not be recorded. The files are
// in the worktree still, and the next snapshot attributes them to this turn.
func (e *Engine) endUnsnapshotted(ctx context.Context, t Turn, out outcome, cause error) error {
	reason := fmt.Sprintf("no snapshot could be taken, so what it wrote is not pending yet: %v", cause)
	if out.reason != "" {
		reason = out.reason + "; " + reason
	}
	state := out.state
	if state == TurnCompleted {
		state, out.code = TurnFailed, CodeOf(cause)
	}
	_, err := e.Store.EndTurn(ctx, TurnEnd{
		Turn: t.ID, State: state, Reason: reason, Hint: out.hint, Stop: out.stop, Rung: out.rung, Usage: out.usage, Calls: out.calls,
		Checkpoint: out.checkpoint(""), Note: cutOffNote(t, out),
		Summary: TurnSummary{
			State: state, Reason: reason, Hint: out.hint, Code: out.code, Rung: out.rung, Usage: out.usage, Calls: out.calls, Duration: out.took(e.Now()),
		},
	})
	e.announce(t.Chat)
	return err
}

// settleUnsent ends a turn of which nothing reached the agent.
func (lt *liveTurn) settleUnsent(cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(lt.ctx), settleTime)
	defer cancel()
	out := outcome{state: TurnFailed, reason: cause.Error(), hint: HintOf(cause), code: CodeOf(cause)}
	switch {
	case lt.stopped():
		out = outcome{state: TurnCancelled, reason: "stopped by you before it was sent"}
	case lt.e.life.Err() != nil:
		out = outcome{state: TurnInterrupted, reason: "boo was shut down before it was sent"}
	}
	return lt.e.endUnsent(ctx, lt.turn, out)
}

func (e *Engine) endUnsent(ctx context.Context, t Turn, out outcome) error {
	_, err := e.Store.EndTurn(ctx, TurnEnd{
		Turn: t.ID, State: out.state, Reason: out.reason, Hint: out.hint,
		Summary: TurnSummary{State: out.state, Reason: out.reason, Hint: out.hint, Code: out.code},
	})
	e.announce(t.Chat)
	return err
}

// pendingAfter counts the changes that are pending once delta is stored.
func (e *Engine) pendingAfter(ctx context.Context, chat ChatID, delta ChangeDelta) (int, error) {
	rows, err := e.Store.Changes(ctx, ChangeQuery{Chat: chat, States: []ChangeState{ChangePending}})
	return len(rows) - len(delta.Retire) + len(delta.Insert), err
}

func fileStats(changes []FileChange) []FileStat {
	stats := make([]FileStat, 0, len(changes))
	for _, c := range changes {
		stats = append(stats, c.Stat())
	}
	return stats
}
