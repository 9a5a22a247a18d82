package acp

import (
	"context"
	"encoding/json"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"boo/orchestrator"
)

// maxPermissions bounds the requests that may be open at once; more are
// answered "cancelled".
const maxPermissions = 64

// permission is one open request of the agent's. It is answered exactly once.
type permission struct {
	id      json.RawMessage
	turn    *turn
	options []orchestrator.PermissionOption
	cancel  context.CancelFunc
}

// permissionRequest is what the agent asks.
type permissionRequest struct {
	Session string     `json:"sessionId"`
	Tool    toolUpdate `json:"toolCall"`
	Options []struct {
		ID   string `json:"optionId"`
		Name string `json:"name"`
		Kind string `json:"kind"`
	} `json:"options"`
}

// asked takes a request of the agent's; the reading goroutine calls it.
func (s *Session) asked(id json.RawMessage, r permissionRequest) {
	s.mu.Lock()
	t := s.live
	s.mu.Unlock()
	if t == nil {
		s.conn.respond(id, cancelledOutcome())
		return
	}
	tool, ok := t.asked(r.Tool)
	if !ok {
		s.conn.respond(id, cancelledOutcome())
		return
	}
	p := &permission{id: id, turn: t}
	for _, o := range r.Options {
		p.options = append(p.options, orchestrator.PermissionOption{ID: o.ID, Name: o.Name, Kind: o.Kind})
	}
	s.ask(p, tool)
}

// ask has the request answered in a goroutine of its own, which Close waits
// for: the agent is read on meanwhile.
func (s *Session) ask(p *permission, tool orchestrator.ToolCall) {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	s.mu.Lock()
	permit := s.permit
	open := s.live == p.turn && !p.turn.stopping && !s.closing && len(s.pending) < maxPermissions && s.permit != nil
	if open {
		s.pending[string(p.id)] = p
		s.asks.Add(1)
	}
	s.mu.Unlock()
	if !open {
		cancel()
		s.conn.respond(p.id, cancelledOutcome())
		return
	}
	go func() {
		defer s.asks.Done()
		defer cancel()
		choice, err := permit(ctx, orchestrator.Permission{ID: orchestrator.NewPermissionID(), Tool: tool, Options: p.options})
		if err != nil {
			choice = stopCancelled
		}
		s.answer(p, choice)
	}()
}

// answer sends the choice, unless the request has been answered.
func (s *Session) answer(p *permission, choice string) {
	if !s.settle(p) {
		return
	}
	offered := slices.ContainsFunc(p.options, func(o orchestrator.PermissionOption) bool { return o.ID == choice })
	if !offered {
		s.conn.respond(p.id, cancelledOutcome())
		return
	}
	s.conn.respond(p.id, sdk.RequestPermissionResponse{
		Outcome: sdk.NewRequestPermissionOutcomeSelected(sdk.PermissionOptionId(choice)),
	})
}

// settle reports true to the one who may answer.
func (s *Session) settle(p *permission) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending[string(p.id)] != p {
		return false
	}
	delete(s.pending, string(p.id))
	return true
}

// stopPermissions answers every open request "cancelled", and every one that
// still comes in this turn.
func (s *Session) stopPermissions(t *turn) {
	s.mu.Lock()
	t.stopping = true
	s.mu.Unlock()
	s.cancelPermissions()
}

// cancelPermissions answers every open request "cancelled", at once: whoever
// is thinking about it learns it from the context.
func (s *Session) cancelPermissions() {
	s.mu.Lock()
	open := s.pending
	s.pending = map[string]*permission{}
	s.mu.Unlock()
	for _, p := range open {
		s.conn.respond(p.id, cancelledOutcome())
		p.cancel()
	}
}

// withdraw takes back a request that the agent itself has cancelled.
func (s *Session) withdraw(params json.RawMessage) {
	var w struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &w) != nil {
		return
	}
	s.mu.Lock()
	p := s.pending[string(w.ID)]
	delete(s.pending, string(w.ID))
	s.mu.Unlock()
	if p != nil {
		s.conn.refuse(p.id, codeCancelled, "Request cancelled")
		p.cancel()
	}
}

func cancelledOutcome() sdk.RequestPermissionResponse {
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeCancelled()}
}
