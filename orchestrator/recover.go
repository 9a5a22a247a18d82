package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Recover settles what a boo that died left behind; see [Service.Recover].
func (e *Engine) Recover(ctx context.Context) ([]Recovery, error) {
	left, err := e.Store.Unsettled(ctx)
	if err != nil {
		return nil, err
	}
	var done []Recovery
	if left.Applies {
		if done, err = e.recoverApplies(ctx); err != nil {
			return done, err
		}
	}
	cleared, err := e.clearScratches(ctx)
	if done = append(done, cleared...); err != nil {
		return done, err
	}
	if left.Turns {
		settled, err := e.recoverTurns(ctx)
		if done = append(done, settled...); err != nil {
			return done, err
		}
	}
	if left.Processes {
		if err := e.endStrays(ctx); err != nil {
			return done, err
		}
	}
	if left.Closings {
		closed, err := e.recoverClosings(ctx)
		if done = append(done, closed...); err != nil {
			return done, err
		}
	}
	return done, e.recoverArchives(ctx)
}

// recoverTurns settles the turns whose owners have died.
func (e *Engine) recoverTurns(ctx context.Context) (done []Recovery, err error) {
	turns, err := e.Store.OpenTurns(ctx)
	if err != nil {
		return nil, err
	}
	inUse := map[ChatID]bool{}
	var dead []Turn
	for _, t := range turns {
		if e.Processes.Alive(t.Owner) && !e.abandoned(t) {
			inUse[t.Chat] = true
		} else {
			dead = append(dead, t)
		}
	}
	for _, t := range dead {
		r, err := e.recoverTurn(ctx, t, inUse[t.Chat])
		if err != nil {
			return done, err
		}
		if r != nil {
			done = append(done, *r)
		}
	}
	return done, nil
}

// EvictAll puts on record that no agent is warm: whoever is about to be the one
// that keeps them says so before its first turn. A process that held the sessions
// of several chats is on record for one of them only.
func (e *Engine) EvictAll(ctx context.Context) error { return e.Store.EvictSessions(ctx) }

func (e *Engine) recoverApplies(ctx context.Context) ([]Recovery, error) {
	results, err := e.Pending.Recover(ctx)
	var done []Recovery
	for _, r := range results {
		done = append(done, Recovery{Chat: r.Chat, Message: settledMessage(r)})
	}
	e.clearApplied()
	return done, err
}

// settledMessage says what became of an apply or reject that was cut off.
func settledMessage(r ApplyResult) string {
	what := "an apply to"
	if r.Kind == KindReject {
		what = "a reject in"
	}
	if r.Undoing {
		what = "the undo of " + what
	}
	what += " " + string(r.Checkout) + " that was cut off is "
	switch {
	case r.State != ApplyRolledBack:
		return what + "finished"
	case len(r.Conflict) == 0:
		return what + "taken back; everything is as it was before"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%staken back, but for %d of its files:", what, len(r.Conflict))
	for _, c := range r.Conflict {
		fmt.Fprintf(&b, "\n  %s: %s", c.Path, c.Reason)
	}
	return b.String()
}

// abandoned reports whether an open turn of this very process has no goroutine
// any more: its end could not be written down.
func (e *Engine) abandoned(t Turn) bool {
	return t.Owner == e.Processes.Self() && e.liveTurn(t.ID) == nil
}

// dyingTime is how long a killed process may take to let go of its locks: it
// closes its files one by one, and counts as dead before it is through.
const dyingTime = 5 * time.Second

// recoverTurn settles a dead turn unless somebody else is at it. Who has the
// lock of a chat that is not in use is on the way out, or settles it.
func (e *Engine) recoverTurn(ctx context.Context, t Turn, inUse bool) (*Recovery, error) {
	release, ok, err := e.Locks.TryLock(ChatLock(t.Chat))
	if err == nil && !ok && !inUse {
		dying, cancel := context.WithTimeout(ctx, dyingTime)
		defer cancel()
		release, err = e.Locks.Lock(dying, ChatLock(t.Chat), func() {})
		ok = err == nil
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = nil
		}
	}
	if err != nil || !ok {
		return nil, err
	}
	defer release()
	if t, err = e.Store.Turn(ctx, t.ID); err != nil || t.State.Terminal() {
		return nil, err
	}
	return e.settleDead(ctx, t)
}

// settleDead ends a turn whose owner has died: its processes, then, if the
// prompt may have reached the agent, the snapshot and the pending set. The
// chat's lock is held. The turn never runs again.
func (e *Engine) settleDead(ctx context.Context, t Turn) (*Recovery, error) {
	if err := e.endStraysOf(ctx, t.ID); err != nil {
		return nil, err
	}
	r := &Recovery{Chat: t.Chat, Turn: t.ID}
	if t.Before == "" {
		r.Message = fmt.Sprintf("turn %s of chat %s was interrupted before it was sent to %s", t.ID, t.Chat, t.Agent)
		return r, e.endUnsent(ctx, t, outcome{state: TurnInterrupted, reason: "boo ended before it was sent"})
	}
	wt, err := e.Store.Worktree(ctx, t.Chat)
	if err != nil {
		return nil, err
	}
	out := outcome{state: TurnInterrupted, reason: "boo ended while it ran", rung: t.Rung, started: t.Started}
	var damaged string
	if !t.Started.IsZero() { // it was sent
		if out.book, damaged, err = e.leftOver(ctx, t); err != nil {
			return nil, err
		}
		out.calls = out.book.begun
		if out.usage, err = e.Store.LastUsage(ctx, t.ID); err != nil {
			return nil, err
		}
	}
	if _, err := e.settle(ctx, wt, t, out, e.plainly(wt)); err != nil {
		return nil, err
	}
	r.Message = fmt.Sprintf("turn %s of chat %s was interrupted; what %s wrote is pending", t.ID, t.Chat, t.Agent)
	if damaged != "" {
		r.Message += "; " + damaged
	}
	return r, nil
}

// endStraysOf ends what is left of a turn's processes. Which of them it had is
// not known: a warm process is on record under the turn that it was started
// for, or for another chat. So all go whose owner has died.
func (e *Engine) endStraysOf(ctx context.Context, turn TurnID) error {
	procs, err := e.Store.Processes(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range procs {
		stray, err := e.stray(ctx, p)
		if err == nil && (stray || p.Turn == turn) {
			err = e.endProcess(ctx, p)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// stray reports whether a process has lost the boo that started it.
func (e *Engine) stray(ctx context.Context, p Process) (bool, error) {
	t, err := e.Store.Turn(ctx, p.Turn)
	if CodeOf(err) == CodeNotFound {
		return true, nil
	}
	return err == nil && !e.Processes.Alive(t.Owner), err
}

// endStrays ends the processes of turns that are over.
func (e *Engine) endStrays(ctx context.Context) error {
	procs, err := e.Store.Processes(ctx)
	if err != nil {
		return err
	}
	for _, p := range procs {
		stray, err := e.stray(ctx, p)
		if err == nil && stray {
			err = e.endProcess(ctx, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) endProcess(ctx context.Context, p Process) error {
	if err := e.Processes.EndStrays(ctx, p); err != nil {
		return fmt.Errorf("end process %d of turn %s: %w", p.PID, p.Turn, err)
	}
	live := []SessionState{SessionStarting, SessionIdle, SessionBusy, SessionCancelling}
	session, err := e.Store.Session(ctx, p.Chat, p.Agent)
	if err != nil {
		return err
	}
	if _, err := e.Store.MoveSession(ctx, session, live, SessionEvicted, ""); err != nil {
		return err
	}
	return e.Store.DeleteProcess(ctx, p)
}
