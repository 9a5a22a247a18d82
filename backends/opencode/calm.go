package opencode

import (
	"context"
	"time"

	"boo/orchestrator"
)

// calmTime is how long a prompt waits for an earlier abort to be over while the
// server is at work for others. On a machine that is overloaded that takes long,
// and to give up takes the turn.
const calmTime = 60 * time.Second

// calm waits until an earlier abort is over: a prompt that overtakes it is
// taken and never answered. A server that has nothing else to do and does not
// come to its end is ended. stopped says that the prompt itself was, meanwhile.
func (s *Session) calm(ctx context.Context, stop <-chan time.Duration) (stopped bool, err error) {
	s.mu.Lock()
	var aborted <-chan struct{} = s.aborted
	unquiet := s.unquiet
	s.mu.Unlock()
	if !unquiet {
		return false, nil
	}
	limit, cancel := context.WithTimeout(ctx, calmTime)
	defer cancel()
	w := calming{s: s, stop: stop, enough: after(s.host.pace.calm)}
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		if over, err := w.until(limit, aborted); over || err != nil {
			return err == nil, w.explain(ctx, err)
		}
		busy, err := s.host.api.busy(limit, s.dir, s.id)
		if err == nil && !busy {
			s.mu.Lock()
			s.unquiet = false
			s.mu.Unlock()
			return false, nil
		}
		if busy { // it began with a prompt after that was aborted
			aborted = s.abort()
		}
		if over, err := w.until(limit, after(wait)); over || err != nil {
			return err == nil, w.explain(ctx, err)
		}
	}
}

// calming is a prompt that waits for an abort.
type calming struct {
	s      *Session
	stop   <-chan time.Duration
	enough <-chan struct{} // then an idle server is ended
}

// until waits for what. over says that the prompt was stopped; the error of one
// that is not sent is in words already, unless limit has ended.
func (w calming) until(limit context.Context, what <-chan struct{}) (over bool, err error) {
	h, enough := w.s.host, w.enough
	for {
		select {
		case <-what:
			return false, nil
		case <-w.stop:
			return true, nil
		case <-h.child.Done():
			return false, h.unsent()
		case <-limit.Done():
			return false, context.Cause(limit)
		case <-enough:
			if enough = nil; h.retire(w.s) {
				if err := h.child.End(context.WithoutCancel(limit), termGrace); err != nil {
					return false, orchestrator.Errorf(orchestrator.CodeAgent, "agent %s did not end: %w; nothing was sent", h.def.Name, err)
				}
				return false, h.unsent()
			}
		}
	}
}

// explain says whose end the end of the wait was.
func (w calming) explain(ctx context.Context, err error) error {
	if err != context.DeadlineExceeded || ctx.Err() != nil {
		return err
	}
	return orchestrator.Errorf(orchestrator.CodeBusy, "agent %s is still stopping its last turn in this session; nothing was sent", w.s.host.def.Name).
		WithHint("boo chat restart")
}

// after returns a channel that is closed when d has passed.
func after(d time.Duration) <-chan struct{} {
	c := make(chan struct{})
	time.AfterFunc(d, func() { close(c) })
	return c
}
