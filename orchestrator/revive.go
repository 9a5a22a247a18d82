package orchestrator

import (
	"context"
	"fmt"
	"slices"
)

// warmOf lists which of some agents have a live session in a chat.
func (e *Engine) warmOf(chat ChatID, agents []AgentName) (warm []AgentName) {
	for _, p := range e.Agents.Live() {
		if slices.Contains(p.Chats, chat) && slices.Contains(agents, p.Agent) && !slices.Contains(warm, p.Agent) {
			warm = append(warm, p.Agent)
		}
	}
	return warm
}

// revive starts agents of a chat anew in the background, for the next prompt to
// find them warm. It gives the chat's lock back when it is done: a prompt that
// comes meanwhile waits for the start that it would else make itself.
func (e *Engine) revive(chat ChatID, agents []AgentName, environ []string, release func()) (begun bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || len(agents) == 0 {
		release()
		return false
	}
	e.turns.Add(1)
	go func() {
		defer e.turns.Done()
		defer release()
		for _, agent := range agents {
			if err := e.reviveAgent(chat, agent, environ); err != nil && e.life.Err() == nil {
				e.remark(chat, fmt.Sprintf("%s was not started again: %s; its next turn starts it", agent, err))
			}
		}
	}()
	return true
}

// reviveAgent opens a new session, as the agent's next turn will ask for it, and
// leaves it warm.
func (e *Engine) reviveAgent(chat ChatID, agent AgentName, environ []string) error {
	ctx := e.life
	t, dir, err := e.reviving(ctx, chat, agent, environ)
	if err != nil {
		return err
	}
	lt := t.lt
	t.row.State = SessionStarting
	t.save(ctx)
	t.session, err = e.Agents.Start(ctx, SessionRequest{
		Chat: chat, Turn: lt.turn.ID, Agent: agent, Model: lt.turn.Model, Dir: dir, Environ: environ,
		Permit:  func(context.Context, Permission) (string, error) { return "cancelled", nil },
		Started: t.started, Gone: e.processGone, Ended: t.ended, Notice: func(text string) { e.remark(chat, text) },
	})
	if err != nil {
		t.row.State, t.row.LastErr = SessionEvicted, err.Error()
		t.save(context.WithoutCancel(ctx))
		return err
	}
	info := t.session.Info()
	t.row.NativeID, t.row.Rung, t.row.Version, t.row.Caps, t.row.Backend = info.NativeID, info.Rung, info.Version, info.Caps, info.Protocol
	t.row.State, t.row.UsedAt = SessionIdle, e.Now()
	t.save(ctx)
	return t.session.Release(ctx)
}

// reviving is what a session needs that no turn asks for: it counts as that of
// the last turn that the agent took.
func (e *Engine) reviving(ctx context.Context, chat ChatID, agent AgentName, environ []string) (t *talk, dir WorktreeDir, err error) {
	c, err := e.Store.Chat(ctx, chat)
	if err != nil {
		return nil, "", err
	}
	last, err := e.Store.LastTurn(ctx, TurnQuery{Chat: chat, Agents: []AgentName{agent}, Begun: true})
	if err != nil {
		return nil, "", err
	}
	if last.Model = ""; c.Agent == agent {
		last.Model = c.Model
	}
	row, err := e.Store.Session(ctx, chat, agent)
	if err != nil {
		return nil, "", err
	}
	wt, err := e.Store.Worktree(ctx, chat)
	return &talk{lt: &liveTurn{e: e, turn: last, environ: environ, ctx: ctx}, row: row}, wt.Dir, err
}

// remark puts something that boo has to say into a chat's log.
func (e *Engine) remark(chat ChatID, text string) {
	_, _ = e.Store.AppendEvents(context.WithoutCancel(e.life), chat, []Event{{Kind: EventNotice, At: e.Now(), Text: text}}) // nothing depends on it
	e.announce(chat)
}
