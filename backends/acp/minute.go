package acp

import (
	"context"
	"fmt"
	"time"

	"boo/orchestrator"
)

// letPass waits until an agent can bring a session back without harm to it:
// some name the files of a session by the time it was begun, see
// backends.Quirks.LoadAnew. Where it is not known when the session was last
// used, it may have been begun just now.
func (s *Session) letPass(ctx context.Context, req orchestrator.SessionRequest) error {
	step := s.def.Quirks.LoadAnew
	if step <= 0 {
		return nil
	}
	now := time.Now()
	next := now.Truncate(step).Add(step)
	if !req.Used.IsZero() && req.Used.Before(now.Truncate(step)) {
		return nil
	}
	if s.notice != nil {
		s.notice(fmt.Sprintf("%s can bring its session back without losing its history from %s on; waiting %d s",
			s.def.Title, next.Format(time.TimeOnly), int(next.Sub(now).Seconds())+1))
	}
	select {
	case <-time.After(next.Sub(now) + clockSlack):
		return nil
	case <-s.conn.ended:
		return nil // the next step finds out and tells
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// clockSlack is waited beyond the step: a timer may be early by the clock.
const clockSlack = 100 * time.Millisecond
