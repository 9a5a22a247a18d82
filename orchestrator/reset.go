package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// ResetChat gives agents a new context; see [Closing].
func (e *Engine) ResetChat(ctx context.Context, ref ChatRef, opts ResetOptions) (ResetResult, error) {
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return ResetResult{}, err
	}
	done := ResetResult{Chat: chat.ID}
	if done.Agents, err = e.affected(chat, opts.Agent); err != nil {
		return done, err
	}
	warm := e.warmOf(chat.ID, done.Agents)
	if opts.Now {
		if err := e.cancelTurn(ctx, chat.ID, done.Agents); err != nil {
			return done, err
		}
	}
	log, release, err := e.reset(ctx, chat.ID, done.Agents, opts)
	if err != nil {
		return done, err
	}
	done.Log = log
	e.announce(chat.ID)
	if e.revive(chat.ID, warm, opts.Environ, release) {
		done.Restarted = warm
	}
	done.Sessions, err = e.deleteForgotten(ctx, chat.ID, opts.Environ)
	return done, err
}

// affected lists the agents whose sessions a reset ends: with an agent those that
// share its session.
func (e *Engine) affected(chat ChatSummary, agent AgentName) ([]AgentName, error) {
	if chat.Kind == KindRun {
		return nil, Errorf(CodeInvalid, "chat %s was made by boo run for one prompt, which keeps its context; nothing was reset", chat.ID).
			WithHint("boo chat reset CHAT")
	}
	if agent == "" {
		return chat.Agents, nil
	}
	if !slices.Contains(chat.Agents, agent) {
		return nil, Errorf(CodeNotFound, "agent %s has taken no turn in chat %s; nothing was reset", agent, chat.ID).WithHint("boo chat show %s", chat.ID)
	}
	agents := []AgentName{agent}
	for _, kin := range e.Agents.Kin(agent) {
		if slices.Contains(chat.Agents, kin) {
			agents = append(agents, kin)
		}
	}
	return agents, nil
}

// cancelTurn stops the turn of one of those agents that runs in a chat.
func (e *Engine) cancelTurn(ctx context.Context, chat ChatID, agents []AgentName) error {
	open, err := e.Store.OpenTurns(ctx)
	if err != nil {
		return err
	}
	for _, t := range open {
		if t.Chat == chat && t.State != TurnQueued && slices.Contains(agents, t.Agent) {
			return e.Stop(ctx, t.ID, false)
		}
	}
	return nil
}

// reset waits until no turn runs, ends the agents' processes and forgets their
// sessions. The caller gives the chat's lock back, if there is no error.
func (e *Engine) reset(ctx context.Context, chat ChatID, agents []AgentName, opts ResetOptions) (log Seq, release func(), err error) {
	waiting := opts.Waiting
	if waiting == nil {
		waiting = func() {}
	}
	if release, err = e.Locks.Lock(ctx, ChatLock(chat), waiting); err != nil {
		return 0, nil, err
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	for _, agent := range agents {
		if err = e.Agents.Evict(ctx, chat, agent); err != nil {
			return 0, nil, err
		}
	}
	log, err = e.Store.ResetSessions(ctx, SessionReset{
		Chat: chat, Agents: agents, ClearLog: opts.ClearLog, Notice: fmt.Sprintf("%s begins anew, and knows nothing of what was before", joined(agents)),
	})
	if !opts.ClearLog {
		log = 0
	}
	return log, release, err
}

// joined lists agents for people.
func joined(agents []AgentName) string {
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = string(a)
	}
	return strings.Join(names, ", ")
}
