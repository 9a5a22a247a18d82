package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// outcome is how a turn went, gathered until it is settled.
type outcome struct {
	state   TurnState
	reason  string
	hint    string
	code    Code // of the error, where there was one
	stop    string
	rung    Rung
	usage   Usage
	calls   int       // of tools
	circle  string    // that the agent seemed to go in
	book    *callBook // of them; nil where no prompt was sent
	started time.Time
	before  ObjectID // the tree that the turn began with; "" where that is not known
}

// took is how long the turn ran until now; 0 if it did not.
func (out outcome) took(now time.Time) Millis {
	if out.started.IsZero() {
		return 0
	}
	return Millis(now.Sub(out.started).Milliseconds())
}

// run takes the turn from queued to its terminal state. An error means that
// the end could not be written down: the turn is then settled as interrupted
// by the next boo that looks.
func (lt *liveTurn) run() error {
	release, err := lt.takeChat()
	if err != nil {
		return lt.settleUnsent(err)
	}
	defer release()
	if err := lt.accept(); err != nil {
		return lt.settleUnsent(err)
	}
	wt, before, watch, err := lt.e.prepare(lt.ctx, lt.turn, lt.environ)
	if err != nil {
		return lt.settleUnsent(fmt.Errorf("prepare the worktree: %w", err))
	}
	lt.turn.Before, lt.tree = before.Commit, before.Tree
	lt.e.keepSpares(wt.Repo, true)
	out := lt.converse(wt)
	out.before = before.Tree
	ctx, cancel := context.WithTimeout(context.WithoutCancel(lt.ctx), settleTime)
	defer cancel()
	return lt.e.settleWatched(ctx, wt, lt.turn, out, watch)
}

// takeChat waits until every earlier turn of the chat is over and this process
// owns the chat.
func (lt *liveTurn) takeChat() (release func(), err error) {
	if lt.before != nil { // many that come one after another need not ask for their turn
		select {
		case <-lt.before.done:
		case <-lt.ctx.Done():
			return nil, context.Cause(lt.ctx)
		}
	}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		release, err := lt.e.Locks.Lock(lt.ctx, ChatLock(lt.turn.Chat), func() {})
		if err != nil {
			return nil, err
		}
		first, err := lt.isFirst()
		if err == nil && first {
			return release, nil
		}
		release()
		if err != nil {
			return nil, err
		}
		// An earlier turn's owner is about to take the lock: make room for it.
		select {
		case <-tick.C:
		case <-lt.ctx.Done():
			return nil, context.Cause(lt.ctx)
		}
	}
}

// isFirst reports whether no earlier turn of the chat is open; those whose
// owner has died are settled on the way. The chat's lock is held.
func (lt *liveTurn) isFirst() (bool, error) {
	turns, err := lt.e.Store.OpenTurns(lt.ctx)
	if err != nil {
		return false, err
	}
	for _, t := range turns {
		if t.Chat != lt.turn.Chat || t.Number >= lt.turn.Number {
			continue
		}
		if lt.e.Processes.Alive(t.Owner) && !lt.e.abandoned(t) {
			return false, nil
		}
		if _, err := lt.e.settleDead(lt.ctx, t); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (lt *liveTurn) accept() error {
	if _, err := lt.e.Store.MoveTurn(lt.ctx, lt.turn.ID, TurnAccepted, ""); err != nil {
		return err
	}
	lt.e.announce(lt.turn.Chat)
	return nil
}

// converse starts the agent, has it take the prompt, and ends its processes. A
// warm agent that ended just now is started once more, as if it had been noticed
// before.
func (lt *liveTurn) converse(wt Worktree) outcome {
	out := outcome{state: TurnFailed, started: lt.e.Now()}
	limits, err := lt.bounds(lt.ctx)
	if err != nil {
		return lt.judge(out, err)
	}
	for again := true; ; again = false {
		talk, err := lt.open(wt)
		if err != nil {
			return lt.judge(out, err)
		}
		out.rung = talk.info.Rung
		err = talk.take(limits, &out)
		if again = again && out.rung == RungWarm && errors.Is(err, ErrUnsent) && !lt.stopped(); !again {
			out = lt.judge(out, err)
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(lt.ctx), settleTime)
		talk.finish(ctx, out, err)
		cancel()
		if !again {
			return out
		}
		lt.notice(fmt.Sprintf("%s ended while it waited, and is started again", lt.turn.Agent))
	}
}

// take has the agent take the prompt, and gathers what it does.
func (t *talk) take(limits Limits, out *outcome) error {
	lt := t.lt
	rec := newRecorder(lt.e, lt.turn, t.row, lt.tree)
	lt.rec.Store(rec)
	sent := func() error {
		if lt.stopped() {
			return context.Canceled
		}
		_, err := lt.e.Store.MoveTurn(lt.e.life, lt.turn.ID, TurnRunning, "")
		lt.e.announce(lt.turn.Chat)
		return err
	}
	guard := newGuard(lt, limits, rec.record)
	result, err := t.session.Prompt(lt.e.life, t.blocks, sent, guard.see)
	out.calls, out.circle = guard.close()
	recordErr := rec.close()
	out.book = &rec.calls
	out.usage, out.stop = result.Usage.Plus(rec.window), result.Stop
	if err == nil {
		err = recordErr
	}
	return err
}

// judge derives the terminal state from how the conversation ended.
func (lt *liveTurn) judge(out outcome, err error) outcome {
	stopped, why := lt.conclude()
	switch {
	case why != nil:
		out.state, out.reason, out.hint = TurnHalted, why.reason, why.hint
	case stopped:
		out.state, out.reason = TurnCancelled, "stopped by you"
	case lt.e.life.Err() != nil:
		out.state, out.reason = TurnInterrupted, "boo was shut down"
	case errors.Is(err, ErrAgentDied):
		out.state, out.reason, out.hint = TurnInterrupted, err.Error(), HintOf(err)
	case err != nil:
		out.state, out.reason, out.hint, out.code = TurnFailed, err.Error(), HintOf(err), CodeAgent
		if code := CodeOf(err); code != CodeInternal {
			out.code = code
		}
	case out.stop == "cancelled":
		out.state, out.reason = TurnCancelled, "the agent cancelled it"
	case out.stop == "refusal":
		out.state, out.reason = TurnFailed, "the agent refused"
	case out.stop == "max_turn_requests" && out.circle != "": // its own detector came first
		why := circling(lt.turn.Chat, out.circle+", and it stopped by itself")
		out.state, out.reason, out.hint = TurnHalted, why.reason, why.hint
	case out.stop == "max_tokens", out.stop == "max_turn_requests":
		out.state, out.reason = TurnHalted, "budget: the agent stopped at its own limit ("+out.stop+")"
		out.hint = goOn(lt.turn.Chat, "")
	default:
		out.state = TurnCompleted
	}
	return out
}
