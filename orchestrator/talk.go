package orchestrator

import (
	"context"
	"errors"
	"fmt"
)

// talk is one agent's session during one turn.
type talk struct {
	lt      *liveTurn
	session AgentSession
	row     Session
	info    SessionInfo
	blocks  []string
	told    []int64 // notes among the blocks
}

// open brings the session about by the resume ladder and prepares the prompt.
func (lt *liveTurn) open(wt Worktree) (*talk, error) {
	e, ctx := lt.e, lt.ctx
	row, family, err := lt.heritage(ctx)
	if err != nil {
		return nil, err
	}
	had, last, err := lt.earlier(ctx, family, row.ResetTurn)
	if err != nil {
		return nil, err
	}
	t := &talk{lt: lt, row: row}
	t.session, err = e.Agents.Start(ctx, SessionRequest{
		Chat: lt.turn.Chat, Turn: lt.turn.ID, Agent: lt.turn.Agent, Model: lt.turn.Model, Mode: lt.turn.Mode, Dir: wt.Dir,
		NativeID: row.NativeID, Used: row.UsedAt, Had: had, Last: last, Charged: lt.charged(family, row.ResetTurn),
		Environ: lt.environ, Permit: lt.permit, Started: t.started, Gone: e.processGone, Notice: lt.notice, Ended: t.ended,
	})
	if err != nil {
		return nil, err
	}
	if err := t.begin(ctx); err != nil {
		err = fmt.Errorf("begin the session: %w", err)
		_ = t.session.Close(context.WithoutCancel(ctx)) // the error that led here says more
		return nil, err
	}
	return t, nil
}

// heritage is the agent's session in the chat, and the agents whose turns are
// in it: an agent that shares its store of sessions with another goes on with
// that one's, unless it has one of its own.
func (lt *liveTurn) heritage(ctx context.Context) (row Session, family []AgentName, err error) {
	row, err = lt.e.Store.Session(ctx, lt.turn.Chat, lt.turn.Agent)
	family = []AgentName{lt.turn.Agent}
	for _, kin := range lt.e.Agents.Kin(lt.turn.Agent) {
		if err != nil {
			break
		}
		var other Session
		other, err = lt.e.Store.Session(ctx, lt.turn.Chat, kin)
		if other.NativeID == "" || row.NativeID != "" && row.NativeID != other.NativeID {
			continue
		}
		family = append(family, kin)
		row.NativeID, row.SeenTurn = other.NativeID, max(row.SeenTurn, other.SeenTurn)
		if other.UsedAt.After(row.UsedAt) {
			row.UsedAt = other.UsedAt
		}
	}
	return row, family, err
}

// charged looks up what the turns of the agent's session have cost by the record.
func (lt *liveTurn) charged(family []AgentName, reset int64) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		return lt.e.Store.SessionCost(ctx, TurnQuery{Chat: lt.turn.Chat, After: reset, Before: lt.turn.Number, Agents: family})
	}
}

// begin tells the store and the followers how the session came to be.
func (t *talk) begin(ctx context.Context) error {
	lt := t.lt
	if !lt.hold(t.session) {
		return context.Canceled
	}
	t.info = t.session.Info()
	seen := t.row.SeenTurn
	if t.info.Rung == RungNew {
		seen = 0
	}
	seen = max(seen, t.row.ResetTurn)
	turns, err := lt.e.Store.TurnsBetween(ctx, lt.turn.Chat, seen, lt.turn.Number)
	if err != nil {
		return err
	}
	history, err := lt.e.history(ctx, turns, seen, t.info.Rung == RungNew, lt.turn)
	if err != nil {
		return err
	}
	if history != "" {
		t.blocks = append(t.blocks, history)
		if t.info.Rung == RungNew {
			t.info.Rung = RungHistory
		}
	}
	notes, err := t.notes(ctx)
	if err != nil {
		return err
	}
	if notes != "" {
		t.blocks = append(t.blocks, notes)
	}
	t.blocks = append(t.blocks, lt.turn.Prompt)
	t.row.Chat, t.row.Agent = lt.turn.Chat, lt.turn.Agent
	t.row.NativeID, t.row.Rung, t.row.Version, t.row.Caps = t.info.NativeID, t.info.Rung, t.info.Version, t.info.Caps
	t.row.State, t.row.SeenTurn, t.row.UsedAt, t.row.LastErr = SessionBusy, seen, lt.e.Now(), ""
	t.row.Backend = t.info.Protocol
	if err := lt.e.Store.PutSession(ctx, t.row); err != nil {
		return err
	}
	_, err = lt.e.Store.AppendEvents(ctx, lt.turn.Chat, []Event{{
		Chat: lt.turn.Chat, Turn: lt.turn.ID, At: lt.e.Now(), Kind: EventSession, Agent: lt.turn.Agent, Session: &t.info,
	}})
	lt.e.announce(lt.turn.Chat)
	return err
}

// started puts a process on record, so that a later boo can end what is left
// of it should this one die.
func (t *talk) started(p Process) {
	p.Chat, p.Turn, p.Agent = t.lt.turn.Chat, t.lt.turn.ID, t.lt.turn.Agent
	// The supervisor ends the processes when this one dies; the row is the
	// second line of defence, so a turn need not fail for it.
	_ = t.lt.e.Store.PutProcess(context.WithoutCancel(t.lt.ctx), p)
}

// finish leaves the session as the next turn shall find it: warm after a turn
// that ended well, and without a process otherwise.
func (t *talk) finish(ctx context.Context, out outcome, cause error) {
	// The agent has heard the prompt, and with it the history, if it answered
	// at all; else both are told again.
	heard := out.state == TurnCompleted || out.state == TurnHalted || out.state == TurnCancelled
	if heard {
		t.row.SeenTurn = t.lt.turn.Number
		t.forgetNotes(ctx)
	}
	t.row.UsedAt = t.lt.e.Now()
	if out.state == TurnCompleted && cause == nil {
		// Written first: once released, the session may end at any moment, and
		// that is then the newer state.
		t.row.State = SessionIdle
		t.save(ctx)
		if err := t.session.Release(ctx); err != nil {
			t.ended(err)
		}
		return
	}
	if err := t.session.Close(ctx); err != nil && cause == nil {
		cause = err
	}
	t.row.State = SessionEvicted
	if errors.Is(cause, ErrAgentDied) || errors.Is(cause, ErrUnsent) {
		t.row.State = SessionCrashed
	}
	if cause != nil {
		t.row.LastErr = cause.Error()
	}
	t.save(ctx)
}

// save stores the row. It only speeds the next turn up: what it lacks is told
// as history.
func (t *talk) save(ctx context.Context) { _ = t.lt.e.Store.PutSession(ctx, t.row) }

// ended writes down that the session, released before, is not warm any more. It
// is called long after the turn too.
func (t *talk) ended(err error) {
	to, text := SessionEvicted, ""
	if err != nil {
		to, text = SessionCrashed, err.Error()
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	// Errors: the next turn finds out by itself.
	turn := t.lt.turn
	s := Session{Chat: turn.Chat, Agent: turn.Agent, Generation: t.row.Generation}
	_, _ = t.lt.e.Store.MoveSession(ctx, s, []SessionState{SessionIdle}, to, text)
}

// processGone takes a process off the record. A stale row would be found out
// by its start time.
func (e *Engine) processGone(p Process) {
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	_ = e.Store.DeleteProcess(ctx, p)
}

// notice tells those who follow the turn what they wait for.
func (lt *liveTurn) notice(text string) { lt.e.say(lt.ctx, lt.turn, text) }

// earlier says whether the agent has completed a turn in its session, and which
// one it took in the chat before this one.
func (lt *liveTurn) earlier(ctx context.Context, family []AgentName, reset int64) (had bool, last TurnID, err error) {
	q := TurnQuery{Chat: lt.turn.Chat, Before: lt.turn.Number, Agents: family, Begun: true}
	turn, err := lt.e.Store.LastTurn(ctx, q)
	if CodeOf(err) == CodeNotFound {
		return false, "", nil
	}
	if err != nil || turn.Number > reset && turn.State == TurnCompleted {
		return err == nil, turn.ID, err
	}
	q.After, q.State = reset, TurnCompleted
	_, err = lt.e.Store.LastTurn(ctx, q)
	if CodeOf(err) == CodeNotFound {
		return false, turn.ID, nil
	}
	return err == nil, turn.ID, err
}
