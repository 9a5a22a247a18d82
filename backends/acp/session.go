package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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

// Session is one session of a running agent. It implements backends.Session.
type Session struct {
	*agent
	host   *Host
	permit func(context.Context, orchestrator.Permission) (string, error)
	notice func(string)
	id     string // set once, under the host's mutex, before Open returns
	info   orchestrator.SessionInfo
	asks   sync.WaitGroup // goroutines of permission requests

	closes bool // the agent has session/close

	meter meter

	mu      sync.Mutex
	turn    *turn           // of the prompt that has not returned
	live    *turn           // the same while updates are its own: from the prompt's way out to its answer
	users   int             // user messages of a replay
	untold  json.RawMessage // the newest update of commands that no prompt had asked for
	pending map[string]*permission
	closing bool
	bidden  bool // to close its session
}

var _ backends.Session = (*Session)(nil)

// Info tells how the session came to be.
func (s *Session) Info() orchestrator.SessionInfo { return s.info }

// Stats counts what came over the agent's connection beside events.
func (s *Session) Stats() Stats { return s.stats() }

// Serve has the requests and notices of the next turn go to others.
func (s *Session) Serve(req orchestrator.SessionRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.permit, s.notice = req.Permit, req.Notice
}

// update takes an update of this session's; the reading goroutine calls it.
func (s *Session) update(raw json.RawMessage) {
	s.mu.Lock()
	t := s.live
	if t == nil {
		s.replayed(raw)
	}
	s.mu.Unlock()
	known := true
	if t != nil {
		known = t.take(raw)
	}
	s.conn.count(func(c *Stats) {
		c.Updates++
		switch {
		case !known:
			c.Unknown++
		case t == nil:
			c.Replayed++
		}
	})
}

// maxUntold bounds what is kept of an agent for its next turn, in bytes.
const maxUntold = 256 << 10

// replayed looks at an update that no prompt asked for: only states are taken
// from it. Which commands there are agents tell once, when a session is opened:
// that is kept for the next turn. s.mu is held.
func (s *Session) replayed(raw json.RawMessage) {
	switch updateKind(raw) {
	case updateUser:
		s.users++
	case updateUsage:
		if u, ok := decodeWindow(raw); ok {
			s.meter.take(u, false)
		}
	case updateCommands:
		if len(raw) <= maxUntold {
			s.untold = slices.Clone(raw)
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

// Close puts the session away, and leaves the agent and its other sessions
// alone. A prompt in flight is not waited for. It may be called twice.
func (s *Session) Close(ctx context.Context) error {
	s.shut()
	s.bid(ctx)
	s.host.drop(s)
	s.asks.Wait()
	return nil
}

// shut has the session take nothing more, and answers what is open.
func (s *Session) shut() {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.cancelPermissions()
}

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

func (s *Session) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}
