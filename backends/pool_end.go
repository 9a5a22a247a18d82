package backends

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"boo/orchestrator"
)

// release gives an agent back after a turn: it waits for the next one, unless
// it has ended or is to end.
func (p *Pool) release(ctx context.Context, h *pooled, k key, turn orchestrator.TurnID) error {
	p.mu.Lock()
	if !h.turns[k] {
		p.mu.Unlock()
		return nil
	}
	if h.sessions[k].doomed {
		p.mu.Unlock()
		return p.leave(ctx, h, k)
	}
	h.sessions[k].last = turn
	return p.settle(ctx, h, k)
}

// settle ends k's turn, and the agent if that was the last one and it shall not
// live on. p.mu is held, and given back.
func (p *Pool) settle(ctx context.Context, h *pooled, k key) error {
	h.used = time.Now()
	h.finish(k)
	if h.phase == free && (h.over() || h.doomed || p.closed) {
		p.mu.Unlock()
		return p.end(ctx, h)
	}
	p.trim()
	p.schedule()
	p.weighSoon()
	p.mu.Unlock()
	return nil
}

// leave ends k's turn and puts its session away: with the agent, unless that
// takes turns of others as well.
func (p *Pool) leave(ctx context.Context, h *pooled, k key) error {
	p.mu.Lock()
	if !h.many || h.host == nil || !h.turns[k] {
		p.mu.Unlock()
		return p.end(ctx, h)
	}
	s := h.sessions[k]
	p.mu.Unlock()
	var err error
	if s != nil && !h.over() {
		err = s.session.Close(ctx)
	}
	p.mu.Lock()
	delete(h.sessions, k)
	if h.phase != busy { // somebody ended the agent meanwhile
		p.mu.Unlock()
		return errors.Join(err, p.end(ctx, h))
	}
	return errors.Join(err, p.settle(ctx, h, k))
}

// end ends an agent, or waits until whoever does so is through.
func (p *Pool) end(ctx context.Context, h *pooled) error {
	p.mu.Lock()
	phase, changed := h.phase, h.changed
	if phase != ending && phase != gone {
		own := p.condemn(h)
		p.mu.Unlock()
		return p.finish(ctx, h, own)
	}
	p.mu.Unlock()
	if phase == gone {
		return nil
	}
	return await(ctx, changed)
}

// condemn makes the caller the one who ends the agent, by finish. It returns
// the sessions whose turns run, which are not warm. p.mu is held.
func (p *Pool) condemn(h *pooled) (own map[key]bool) {
	own, h.turns = h.turns, nil
	h.move(ending)
	return own
}

// finish ends a condemned agent, and tells those whose sessions were warm in
// it. When it returns, these can be opened elsewhere. An agent that ended by
// itself has crashed, also if that was between two turns.
func (p *Pool) finish(ctx context.Context, h *pooled, own map[key]bool) error {
	var crash, err error
	if h.over() {
		crash = h.host.Failure(ctx)
	}
	if h.host != nil {
		err = h.host.Close(ctx)
	}
	if crash != nil && h.many {
		p.crashed(key{agent: h.agent}, crash)
	}
	for k, s := range h.sessions { // nobody else changes it in this phase
		if own[k] {
			continue // its turn knows
		}
		if crash != nil {
			p.crashed(k, crash)
		}
		s.tell(crash)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hosts = slices.DeleteFunc(p.hosts, func(other *pooled) bool { return other == h })
	h.sessions = nil
	h.move(gone)
	return err
}

// endSoon ends an agent in the background. p.mu is held.
func (p *Pool) endSoon(h *pooled) {
	own := p.condemn(h)
	p.tasks.Go(func() { _ = p.finish(context.Background(), h, own) }) // nobody is left to tell
}

// watch waits for the end of an agent. That of one that waits for work is
// noticed at once; in mid-turn the turn tells.
func (p *Pool) watch(h *pooled) {
	<-h.host.Done()
	p.mu.Lock()
	idle := h.phase == free
	p.mu.Unlock()
	if idle {
		_ = p.end(context.Background(), h) // nobody is left to tell
	}
}

func (p *Pool) crashed(k key, cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crashes.add(k, cause, time.Now())
}

// Evict closes the warm session of an agent in a chat, of all its agents if
// agent is "", and ends the agent's process, so that nothing stays of what it
// left running. A process in which the turn of another chat runs ends with
// that turn. A cool-down of the chat's agents is over, and that of an agent which
// all chats share if it is named.
func (p *Pool) Evict(ctx context.Context, chat orchestrator.ChatID, agent orchestrator.AgentName) error {
	p.mu.Lock()
	p.crashes.forget(chat, agent)
	var keys []key
	for _, h := range p.hosts {
		for k := range h.sessions {
			if k.chat == chat && (agent == "" || k.agent == agent) {
				keys = append(keys, k)
			}
		}
	}
	p.mu.Unlock()
	var errs []error
	for _, k := range keys {
		errs = append(errs, p.evict(ctx, k))
	}
	return errors.Join(errs...)
}

func (p *Pool) evict(ctx context.Context, k key) error {
	leave, err := p.enter(ctx, k)
	if err != nil {
		return err
	}
	defer leave()
	p.mu.Lock()
	h := p.holder(k)
	if h == nil {
		p.mu.Unlock()
		return nil
	}
	runs, own := h.phase == busy, h.turns[k]
	if s := h.sessions[k]; h.many && own && s != nil {
		s.doomed = true
	}
	h.doomed = h.doomed || !h.many
	p.mu.Unlock()
	switch {
	case own:
		return nil
	case runs, h.many:
		return p.putAway(ctx, h, k)
	}
	return p.end(ctx, h)
}

// Close ends all agents and returns when they are gone. Nothing can be started
// any more.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	hosts := slices.Clone(p.hosts)
	p.mu.Unlock()
	errs := make([]error, len(hosts))
	var all sync.WaitGroup
	for i, h := range hosts {
		all.Go(func() { errs[i] = p.end(ctx, h) })
	}
	all.Wait()
	p.tasks.Wait()
	return errors.Join(errs...)
}

// tell tells, once, that the session is not warm any more.
func (s *warm) tell(cause error) {
	if s.ended != nil {
		s.ended(cause)
	}
}
