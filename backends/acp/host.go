package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

// Host is a running agent that has introduced itself. It implements
// backends.Host: it can hold several sessions, which share the connection.
type Host struct {
	*agent
	intro introduction
	door  chan struct{} // holds a token while a session is opened

	mu       sync.Mutex
	sessions map[string]*Session // by the agent's id
	opening  *Session            // has no id yet, or has not been told of
}

var _ backends.Host = (*Host)(nil)

// Done is closed when nothing can come from the agent any more.
func (h *Host) Done() <-chan struct{} { return h.conn.ended }

// Shares reports whether sessions can be put away one by one and brought back,
// without which one process must not hold several.
func (h *Host) Shares() bool { return h.intro.can.Session.Close != nil && h.Resumes() }

// Resumes reports whether the agent advertises that it brings sessions back.
func (h *Host) Resumes() bool { return h.intro.can.Load || h.intro.can.Session.Resume != nil }

// Failure tells after Done how the agent came to end; nil if boo ended it.
func (h *Host) Failure(ctx context.Context) error {
	if h.ordered.Load() {
		return nil
	}
	return h.obituary(h.bury(ctx, errEnded))
}

// Open brings a session about by the ladder in the package comment. An error
// is a *backends.OpenError; no session is left then. One session is opened at
// a time.
func (h *Host) Open(ctx context.Context, req orchestrator.SessionRequest) (backends.Session, error) {
	select {
	case h.door <- struct{}{}:
		defer func() { <-h.door }()
	case <-ctx.Done():
		return nil, fmt.Errorf("open a session with agent %s: %w", h.def.Name, context.Cause(ctx))
	}
	told := orchestrator.SessionInfo{Version: cut(h.intro.Info.Version, 100), Protocol: "acp/1", Caps: h.intro.Caps}
	s := &Session{
		agent: h.agent, host: h, permit: req.Permit, notice: req.Notice, pending: map[string]*permission{}, info: told,
		closes: h.intro.can.Session.Close != nil,
	}
	h.expect(s)
	defer h.expect(nil)
	before := h.stats().Replayed
	result, err := s.establish(ctx, h.intro, req)
	if err == nil {
		err = s.configure(ctx, result, req)
	}
	if err != nil {
		_ = s.Close(context.WithoutCancel(ctx)) // the error that led here says more
		return nil, &backends.OpenError{Info: told, Err: err}
	}
	s.info.NativeID = s.id
	if s.info.Rung == orchestrator.RungResumed {
		s.info.Replayed = h.stats().Replayed - before
	}
	return s, nil
}

// expect names the session that updates with an unknown id belong to.
func (h *Host) expect(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opening = s
}

// adopt gives a session its id: from here on its updates are its own.
func (h *Host) adopt(s *Session, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.id != "" {
		delete(h.sessions, s.id)
	}
	s.id = id
	h.sessions[id] = s
}

// drop forgets a session; what the agent still says of it is foreign.
func (h *Host) drop(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sessions[s.id] == s {
		delete(h.sessions, s.id)
	}
}

// known returns the session that has an id by now; nil if none has.
func (h *Host) known(id string) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}

// find is known for what may come before the answer that tells the id.
func (h *Host) find(id string) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil {
		return s
	}
	if h.opening != nil && h.opening.id == "" {
		return h.opening
	}
	return nil
}

func (h *Host) all() []*Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*Session, 0, len(h.sessions))
	for _, s := range h.sessions {
		all = append(all, s)
	}
	return all
}

// notification takes a message of the agent's that wants no answer; the
// reading goroutine calls it.
func (h *Host) notification(method string, params json.RawMessage) bool {
	switch method {
	case methodUpdate:
		var n notification
		if json.Unmarshal(params, &n) != nil || len(n.Update) == 0 {
			h.conn.count(func(c *Stats) { c.Updates, c.Unknown = c.Updates+1, c.Unknown+1 })
			return true
		}
		s := h.find(n.Session)
		if s == nil {
			h.conn.count(func(c *Stats) { c.Updates, c.Foreign = c.Updates+1, c.Foreign+1 })
			return true
		}
		s.update(n.Update)
		return true
	case methodCancelRequest:
		for _, s := range h.all() {
			s.withdraw(params)
		}
		return true
	}
	return false
}

// request takes a message of the agent's that wants an answer; the reading
// goroutine calls it.
func (h *Host) request(id json.RawMessage, method string, params json.RawMessage) bool {
	if method != methodPermission {
		return false
	}
	var r permissionRequest
	if json.Unmarshal(params, &r) != nil || r.Tool.ID == "" || len(r.Options) == 0 {
		h.conn.refuse(id, codeBadParams, "Invalid params")
		return true
	}
	s := h.known(r.Session)
	if s == nil {
		h.conn.respond(id, cancelledOutcome())
		return true
	}
	s.asked(id, r)
	return true
}

// tooLong tells the turns that run that something is missing: whose it was was not
// read.
func (h *Host) tooLong() {
	for _, s := range h.all() {
		s.mu.Lock()
		t := s.live
		s.mu.Unlock()
		if t != nil {
			t.remark(fmt.Sprintf("a message of %s was left out: it is longer than %d MiB", h.def.Name, maxLine>>20))
		}
	}
}

// Close ends the agent's process tree and everything that serves it; prompts
// in flight return as cancelled. It may be called twice.
func (h *Host) Close(ctx context.Context) error {
	h.ordered.Store(true)
	sessions := h.all()
	var bids sync.WaitGroup
	for _, s := range sessions {
		s.shut()
		bids.Go(func() { s.bid(ctx) })
	}
	bids.Wait()
	h.conn.out.shut()
	select {
	case <-h.child.Done():
	case <-time.After(quitGrace):
	}
	err := h.child.End(ctx, killGrace)
	if err == nil {
		<-h.conn.out.done
		err = h.drain(ctx)
	}
	for _, s := range sessions {
		s.asks.Wait()
	}
	if err != nil {
		return fmt.Errorf("end agent %s: %w", h.def.Name, err)
	}
	return nil
}
