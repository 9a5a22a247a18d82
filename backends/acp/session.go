package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"boo/backends"
	"boo/orchestrator"
)

const (
	// killGrace is from TERM to KILL.
	killGrace = time.Second
	// quitGrace is what an agent gets to end by itself when its input closes.
	quitGrace = 500 * time.Millisecond
	// drainGrace is what is waited for the rest of a dead agent's output.
	drainGrace = 5 * time.Second
)

// Session is a live agent holding one session. It implements
// orchestrator.AgentSession.
type Session struct {
	def    backends.Definition
	child  backends.Child
	conn   *conn
	permit func(context.Context, orchestrator.Permission) (string, error)
	id     string
	info   orchestrator.SessionInfo
	asks   sync.WaitGroup // goroutines of permission requests

	closes bool // it has session/close

	meter meter

	mu      sync.Mutex
	turn    *turn // of the prompt that has not returned
	live    *turn // the same while updates are its own: from the prompt's way out to its answer
	users   int   // user messages of a replay
	pending map[string]*permission
	closing bool
	bidden  bool // to close its session
}

var _ orchestrator.AgentSession = (*Session)(nil)

// Info tells how the session came to be.
func (s *Session) Info() orchestrator.SessionInfo { return s.info }

// Stats counts what came from the agent beside events.
func (s *Session) Stats() Stats {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.conn.stats
}

// notification takes a message of the agent's that wants no answer; the
// reading goroutine calls it.
func (s *Session) notification(method string, params json.RawMessage) bool {
	switch method {
	case methodUpdate:
		s.update(params)
		return true
	case methodCancelRequest:
		s.withdraw(params)
		return true
	}
	return false
}

func (s *Session) update(params json.RawMessage) {
	var n notification
	bad := json.Unmarshal(params, &n) != nil || len(n.Update) == 0
	s.mu.Lock()
	t := s.live
	foreign := !bad && s.id != "" && n.Session != s.id
	if t == nil && !bad && !foreign {
		s.replayed(n.Update)
	}
	s.mu.Unlock()
	known := !bad
	if t != nil && known && !foreign {
		known = t.take(n.Update)
	}
	s.conn.count(func(c *Stats) {
		c.Updates++
		switch {
		case foreign:
			c.Foreign++
		case !known:
			c.Unknown++
		case t == nil:
			c.Replayed++
		}
	})
}

// replayed looks at an update that no prompt asked for: only states are taken
// from it. s.mu is held.
func (s *Session) replayed(raw json.RawMessage) {
	switch updateKind(raw) {
	case updateUser:
		s.users++
	case updateUsage:
		if u, ok := decodeWindow(raw); ok {
			s.meter.take(u)
		}
	}
}

// Stop asks the agent to cancel its turn and returns when that is over. If the
// agent has not ended it after grace, its process tree is ended. Without a
// turn in flight it does nothing.
func (s *Session) Stop(ctx context.Context, grace time.Duration) error {
	s.mu.Lock()
	t := s.turn
	s.mu.Unlock()
	if t == nil {
		return nil
	}
	select {
	case t.stop <- grace:
	case <-t.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop agent %s: %w", s.def.Name, context.Cause(ctx))
	}
	select {
	case <-t.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop agent %s: %w", s.def.Name, context.Cause(ctx))
	}
}

// Close ends the agent's process tree and everything that serves it. A prompt
// in flight returns as cancelled. It may be called twice.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.cancelPermissions()
	s.bid(ctx)
	s.conn.out.shut()
	select {
	case <-s.child.Done():
	case <-time.After(quitGrace):
	}
	err := s.child.End(ctx, killGrace)
	if err == nil {
		<-s.conn.out.done
		err = s.drain(ctx)
	}
	s.asks.Wait()
	if err != nil {
		return fmt.Errorf("end agent %s: %w", s.def.Name, err)
	}
	return nil
}

// Release closes the session: who wants to keep it warm holds on to it instead.
func (s *Session) Release(ctx context.Context) error { return s.Close(ctx) }

// bid asks the agent to put its session away, where it can be asked and has no
// turn in flight. One that takes long is not waited for: its process ends, and
// a session outlives that.
func (s *Session) bid(ctx context.Context) {
	s.mu.Lock()
	idle := s.turn == nil && s.id != "" && !s.bidden
	s.bidden = true
	s.mu.Unlock()
	if s.closes && idle {
		_, _ = s.conn.call(ctx, methodClose, sdk.CloseSessionRequest{SessionId: sdk.SessionId(s.id)}, limits{total: quitGrace})
	}
}

// drain waits until everything that the agent wrote has been read.
func (s *Session) drain(ctx context.Context) error {
	select {
	case <-s.conn.ended:
		return nil
	case <-time.After(drainGrace):
		return fmt.Errorf("its output stays open after its end")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Session) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}
