package backends

import (
	"context"
	"time"

	"boo/orchestrator"
)

// take finds the session if it is warm, or else the agent to open one in,
// whose host is nil if it has to be brought up first. The agent is busy for k.
func (p *Pool) take(ctx context.Context, k key, plan plan, req orchestrator.SessionRequest) (*pooled, *warm, error) {
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, nil, p.shut(k.agent)
		}
		if err := p.crashes.check(k, time.Now()); err != nil {
			p.mu.Unlock()
			return nil, nil, err
		}
		h := p.holder(k)
		switch {
		case h == nil:
			h, rising, err := p.reserve(k, plan)
			p.mu.Unlock()
			if err != nil || rising == nil {
				return h, nil, err
			}
			if err := await(ctx, rising); err != nil {
				return nil, nil, err
			}
		case h.phase == ending || h.turns[k]:
			changed := h.changed
			p.mu.Unlock()
			if err := await(ctx, changed); err != nil {
				return nil, nil, err
			}
		case h.takes() && h.identity == plan.identity && h.sessions[k].fits(req):
			h.begin(k)
			s := h.sessions[k]
			s.ended = req.Ended
			p.mu.Unlock()
			return h, s, nil
		default:
			p.mu.Unlock()
			if err := p.putAway(ctx, h, k); err != nil {
				return nil, nil, err
			}
		}
	}
}

// holder returns the agent that holds the session of k, or nil. p.mu is held.
func (p *Pool) holder(k key) *pooled {
	for _, h := range p.hosts {
		if _, ok := h.sessions[k]; ok || h.turns[k] {
			return h
		}
	}
	return nil
}

// reserve returns an agent that is busy for k: one that takes another turn and
// has room, or a new one. If one is being brought up that will take turns of
// several chats at once, rising is closed when more is known. It is an error if
// such an agent crashed too often. p.mu is held.
func (p *Pool) reserve(k key, plan plan) (h *pooled, rising <-chan struct{}, err error) {
	for _, h := range p.hosts {
		switch {
		case h.identity != plan.identity:
		case h.takes() && h.shared && (h.many || len(h.sessions) < maxSessions):
			h.begin(k)
			return h, nil, nil
		case h.many && h.host == nil && h.phase == busy:
			return nil, h.changed, nil
		}
	}
	if plan.def.Concurrent {
		if err := p.crashes.checkServer(k, time.Now()); err != nil {
			return nil, nil, err
		}
	}
	h = &pooled{
		agent: plan.def.Name, identity: plan.identity, phase: busy, turns: map[key]bool{k: true}, used: time.Now(),
		many: plan.def.Concurrent, sessions: map[key]*warm{}, changed: make(chan struct{}),
	}
	p.hosts = append(p.hosts, h)
	p.trim()
	return h, nil, nil
}

// putAway takes a session that is warm out of its agent. An agent that holds no
// other ends; one that is busy for another chat does not notice.
func (p *Pool) putAway(ctx context.Context, h *pooled, k key) error {
	p.mu.Lock()
	s, ok := h.sessions[k]
	if !ok || h.phase == ending || h.phase == gone || h.turns[k] {
		p.mu.Unlock()
		return nil // it is somebody else's matter now
	}
	if h.phase == free && (len(h.sessions) == 1 && !h.many || h.over()) {
		p.mu.Unlock()
		return p.end(ctx, h)
	}
	delete(h.sessions, k)
	p.mu.Unlock()
	err := s.session.Close(ctx)
	s.tell(nil)
	return err
}
