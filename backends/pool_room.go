package backends

import (
	"slices"
	"time"

	"boo/orchestrator"
)

// trim ends idle agents while there are more than may live, those first that
// were not used for the longest time. p.mu is held.
func (p *Pool) trim() {
	for {
		live := 0
		for _, h := range p.hosts {
			if h.phase != ending {
				live++
			}
		}
		victim := p.oldest()
		if live <= p.opts.MaxLive || victim == nil {
			return
		}
		p.endSoon(victim)
	}
}

// oldest returns the evictable agent that was not used for the longest time,
// or nil. p.mu is held.
func (p *Pool) oldest() *pooled {
	var oldest *pooled
	for _, h := range p.hosts {
		if h.evictable() && (oldest == nil || h.used.Before(oldest.used)) {
			oldest = h
		}
	}
	return oldest
}

// schedule sets the timer for the agent whose time is over next. Without one
// there is none: an idle pool does nothing. p.mu is held.
func (p *Pool) schedule() {
	if p.timer != nil {
		p.timer.Stop()
	}
	oldest := p.oldest()
	if oldest == nil || p.closed {
		return
	}
	p.timer = time.AfterFunc(time.Until(oldest.used.Add(p.opts.Idle)), p.sweep)
}

// sweep ends the agents that were idle for too long. It is the timer's.
func (p *Pool) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	for {
		oldest := p.oldest()
		if oldest == nil || time.Since(oldest.used) < p.opts.Idle {
			break
		}
		p.endSoon(oldest)
	}
	p.schedule()
}

// weighSoon has the memory of all agents compared with what they may hold, in
// the background: no turn waits for it. p.mu is held.
func (p *Pool) weighSoon() {
	if p.opts.MaxRSS < 0 || p.weighing || p.closed {
		return
	}
	p.weighing = true
	p.tasks.Go(p.weigh)
}

// weigh ends idle agents, the least recently used first, until the rest holds
// no more than it may.
func (p *Pool) weigh() {
	live := p.Live()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.weighing = false
	var total int64
	held := map[int]int64{}
	for _, a := range live {
		total += a.Memory
		held[a.PID] = a.Memory
	}
	for total > p.opts.MaxRSS && !p.closed {
		victim := p.oldest()
		if victim == nil {
			return
		}
		total -= held[victim.child.Identity().PID]
		p.endSoon(victim)
	}
}

// Live lists the agents that are there, the last used first.
func (p *Pool) Live() []orchestrator.LiveAgent {
	p.mu.Lock()
	var live []orchestrator.LiveAgent
	var children []Child
	for _, h := range p.hosts {
		if h.child == nil {
			continue
		}
		a := orchestrator.LiveAgent{Agent: h.agent, PID: h.child.Identity().PID, Busy: h.phase == busy, UsedAt: h.used}
		for k := range h.sessions {
			a.Chats = append(a.Chats, k.chat)
		}
		slices.Sort(a.Chats)
		live, children = append(live, a), append(children, h.child)
	}
	p.mu.Unlock()
	for i, child := range children {
		use := child.Tree()
		live[i].Processes, live[i].Memory, live[i].CPU = use.Processes, use.Memory, orchestrator.Millis(use.CPU.Milliseconds())
	}
	slices.SortFunc(live, func(a, b orchestrator.LiveAgent) int { return b.UsedAt.Compare(a.UsedAt) })
	return live
}
