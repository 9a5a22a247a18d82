package orchestrator

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// From Ctrl-C to the last process gone may take 5 s: the agent has most of
	// it to answer, the rest is for TERM and KILL.
	cancelGrace = 3 * time.Second
	endGrace    = time.Second
	// What is written down after a turn was stopped is bounded too.
	settleTime = 2 * time.Minute
)

// liveTurn is a turn that this process takes through. Its goroutine runs
// [liveTurn.run]; all else may only call stop.
type liveTurn struct {
	e        *Engine
	turn     Turn
	attended bool
	environ  []string       // the person's, at the moment of sending
	mode     PermissionMode // who answers the agent's requests
	limits   Limits         // as asked for
	tree     ObjectID       // that the turn began with
	tight    bool           // what is left of the chat's budget bounds it
	before   *liveTurn      // of the same process, which it comes after; nil if unknown
	done     chan struct{}  // closed when the goroutine is through
	err      error          // why the turn could not be settled; read after done

	ctx    context.Context // ends when the turn is stopped or the engine closes
	cancel context.CancelFunc

	rec    atomic.Pointer[recorder] // while the agent talks
	asking atomic.Int32             // open requests that wait for a person

	mu       sync.Mutex
	session  AgentSession // while one is there
	stopping bool
	halted   *halted // why boo itself stops it; nil for the person's own stop
	judged   bool    // how it ended is settled: a stop comes too late
}

// admit registers a turn as this process's own, before it is stored: nobody
// then takes it for one that was left behind.
func (e *Engine) admit(turn Turn, req SendRequest) (*liveTurn, error) {
	lt := &liveTurn{e: e, turn: turn, attended: req.Attended, environ: req.Environ, done: make(chan struct{})}
	lt.mode, lt.limits = e.Policy.mode(req), req.Limits
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, Errorf(CodeBusy, "boo is shutting down; nothing was sent").WithHint("boo chat send …, in a moment")
	}
	lt.ctx, lt.cancel = context.WithCancel(e.life)
	e.live[turn.ID] = lt
	e.turns.Add(1)
	return lt, nil
}

// begin starts the goroutine that takes the turn through; turn is as stored.
func (lt *liveTurn) begin(turn Turn) {
	lt.e.mu.Lock() // who asks for the chats that turns are in sees all of them
	lt.turn = turn
	lt.e.mu.Unlock()
	lt.e.keeper.learn(turn.Chat, lt.environ)
	go func() {
		lt.err = lt.run()
		lt.runHook()
		lt.e.tidy(turn.Chat)
		lt.e.weigh(turn.Chat)
		lt.dismiss()
	}()
}

// dismiss ends what admit began. Who hears of it finds the turn live no more.
func (lt *liveTurn) dismiss() {
	lt.cancel()
	lt.e.mu.Lock()
	delete(lt.e.live, lt.turn.ID)
	close(lt.done)
	lt.e.settled()
	lt.e.mu.Unlock()
	lt.e.announce(lt.turn.Chat)
	lt.e.turns.Done()
}

// lost is the error of a turn whose end could not be written down. It is read
// after done.
func (lt *liveTurn) lost() error {
	if lt.err == nil {
		return Errorf(CodeInternal, "turn %s ended, but the store does not say so", lt.turn.ID)
	}
	return &Error{
		Code: CodeOf(lt.err),
		Msg:  "turn " + string(lt.turn.ID) + " is over, but its end could not be recorded; its files are in the worktree, and the next boo command settles it",
		Hint: HintOf(lt.err),
		Err:  lt.err,
	}
}

// Stop cancels a turn; see [Service.Stop].
func (e *Engine) Stop(ctx context.Context, turn TurnID, now bool) error {
	lt := e.liveTurn(turn)
	if lt == nil {
		t, err := e.Store.Turn(ctx, turn)
		if err != nil || t.State.Terminal() {
			return err
		}
		if e.abandoned(t) {
			_, err := e.Recover(ctx)
			return err
		}
		return Errorf(CodeBusy, "turn %s is run by another boo (process %d)", turn, t.Owner.PID).
			WithHint("press Ctrl-C in its terminal, or: kill -INT %d", t.Owner.PID)
	}
	return lt.stop(ctx, now)
}

// stop asks the agent to cancel, or ends its processes at once.
func (lt *liveTurn) stop(ctx context.Context, now bool) error {
	lt.mu.Lock()
	if lt.judged {
		lt.mu.Unlock()
		return nil
	}
	first, byBoo := !lt.stopping, lt.halted != nil
	lt.stopping = true
	session := lt.session
	lt.mu.Unlock()
	if session == nil {
		lt.cancel() // nothing was sent yet
		return nil
	}
	if now {
		return session.Close(ctx)
	}
	if byBoo { // it is being ended; a person only waits less long
		return session.Stop(ctx, cancelGrace)
	}
	if !first {
		return nil
	}
	lt.move(ctx, TurnCancelling, "")
	return session.Stop(ctx, cancelGrace)
}

// catchUp returns when what the agent has said so far is stored.
func (lt *liveTurn) catchUp() {
	if rec := lt.rec.Load(); rec != nil {
		rec.flush()
	}
}

// hold publishes the session to stop, unless the turn was stopped meanwhile.
func (lt *liveTurn) hold(s AgentSession) bool {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	if lt.stopping {
		return false
	}
	lt.session = s
	return true
}

func (lt *liveTurn) stopped() bool {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	return lt.stopping
}

// conclude reports whether the turn was stopped, and why if it was boo who did.
// Whoever wants to stop it from then on comes too late: a turn that is being
// cancelled cannot complete.
func (lt *liveTurn) conclude() (stopped bool, why *halted) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	lt.judged = true
	return lt.stopping, lt.halted
}

// move takes the turn to a state that is not terminal. That it is not in a
// state for it is no error: its end may have come first.
func (lt *liveTurn) move(ctx context.Context, to TurnState, reason string) bool {
	_, err := lt.e.Store.MoveTurn(ctx, lt.turn.ID, to, reason)
	lt.e.announce(lt.turn.Chat)
	return err == nil
}
