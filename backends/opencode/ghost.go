package opencode

import (
	"context"
	"time"
)

// A ghost is a prompt that was given up before the server was seen to begin
// with it. A server that is busy may begin with it seconds later.

// haunt notes a ghost. The server begins with the newest prompt that it has, so
// that an older one is none any more.
func (s *Session) haunt(prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ghost = prompt
}

// lay has the server stop the session if info shows that it has begun with the
// ghost. aborted is as abort's, and nil where there was nothing to stop.
func (s *Session) lay(info messageInfo) (aborted <-chan struct{}) {
	s.mu.Lock()
	walks := s.ghost != "" && info.Role == roleAssistant && info.Parent == s.ghost && !info.over()
	if walks {
		s.ghost = ""
	}
	s.mu.Unlock()
	if !walks {
		return nil
	}
	return s.abort()
}

// bereft deals with a prompt that the abort of a ghost took along before anything
// of its answer was said, and is false for all others. Until it is known that
// the prompt is one, the turn waits.
func (t *turn) bereft(ctx context.Context, last *messageInfo) bool {
	if t.laid == nil || t.renewed || t.stopping || t.said() || last != nil && !last.aborted() {
		return false
	}
	select {
	case <-t.laid:
	default:
		return true
	}
	mayBegin := last == nil && time.Since(t.still) < t.s.host.pace.late
	if t.renewable() && !mayBegin {
		t.renew(ctx, last)
	}
	return true
}

// renewable reports whether the prompt may be handed over again. Its ids are as
// before, and so a server that has it after all does not take it twice.
func (t *turn) renewable() bool { return !t.renewed && !t.stopping && t.handed == nil }

// said reports whether anything of the answer was passed on but thoughts.
func (t *turn) said() bool { return t.spoken || len(t.tools) > 0 }

// renew hands the prompt over a second time. What there is of an answer is none.
func (t *turn) renew(ctx context.Context, last *messageInfo) {
	if last != nil {
		t.void = last.ID
		delete(t.answers, last.ID)
	}
	t.recall()
	t.renewed, t.open, t.failure = true, false, nil
	t.still, t.wait = time.Time{}, lookMin
	t.hand(ctx)
}
