package opencode

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

const (
	// abortTime is how long an abort may take; the server answers it only when
	// the running tool has stopped.
	abortTime = 30 * time.Second
	// closeGrace is what a turn gets to end in when its session is put away.
	closeGrace = 10 * time.Second
	// toolGrace is what a command's process has to end in before it is killed.
	toolGrace = time.Second
)

// Session is one session of a server. It implements backends.Session.
type Session struct {
	host  *Host
	id    string
	dir   string
	model *modelName
	mode  string
	info  orchestrator.SessionInfo

	mu      sync.Mutex
	permit  func(context.Context, orchestrator.Permission) (string, error)
	turn    *turn         // of the prompt that has not returned
	aborted chan struct{} // closed when the newest abort is answered; nil if none was
	unquiet bool          // since an abort the server was not seen idle
	ghost   string        // a prompt that was given up before the server was seen to begin with it
	closed  bool
}

var _ backends.Session = (*Session)(nil)

// Info tells how the session came to be.
func (s *Session) Info() orchestrator.SessionInfo { return s.info }

// Serve has the requests of the next turn go to others.
func (s *Session) Serve(req orchestrator.SessionRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.permit = req.Permit
}

func (s *Session) current() *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn
}

// Prompt sends the blocks as one prompt and returns when the server has ended
// the turn; see orchestrator.AgentSession. When ctx ends, the turn is stopped
// as by Stop with 3 s of grace.
func (s *Session) Prompt(ctx context.Context, blocks []string, sent func() error, sink func(orchestrator.Event)) (orchestrator.TurnResult, error) {
	t, err := s.enter(ctx, sink)
	if err != nil {
		return orchestrator.TurnResult{}, err
	}
	defer s.leave(t)
	if stopped, err := s.calm(ctx, t.stop); err != nil {
		return orchestrator.TurnResult{}, err
	} else if stopped {
		return orchestrator.TurnResult{Stop: stopCancelled}, nil
	}
	if err := s.host.awaitLive(ctx); errors.Is(err, errExited) {
		return orchestrator.TurnResult{}, s.host.unsent()
	} else if err != nil {
		return orchestrator.TurnResult{}, s.host.explain("take the prompt", err)
	}
	if err := sent(); err != nil {
		return orchestrator.TurnResult{}, err
	}
	return t.run(ctx, blocks)
}

// enter takes the session for one prompt.
func (s *Session) enter(ctx context.Context, sink func(orchestrator.Event)) (*turn, error) {
	s.mu.Lock()
	if s.turn != nil {
		s.mu.Unlock()
		return nil, orchestrator.Errorf(orchestrator.CodeBusy, "agent %s has a turn in flight", s.host.def.Name)
	}
	if s.closed {
		s.mu.Unlock()
		return nil, orchestrator.Errorf(orchestrator.CodeAgent, "the session with agent %s is closed; nothing was sent to it", s.host.def.Name)
	}
	t := newTurn(s, sink)
	s.turn = t
	s.mu.Unlock()
	if err := s.host.serves(ctx); err != nil { // asked when the turn can be seen
		s.leave(t)
		return nil, err
	}
	return t, nil
}

func (s *Session) leave(t *turn) {
	t.hush()
	close(t.ended)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = nil
}

// abort has the server stop the session, in a goroutine of the host's: the
// answer comes when the tool that runs has stopped.
func (s *Session) abort() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, done := s.aborted, make(chan struct{})
	s.aborted, s.unquiet = done, true
	begun := s.host.task(func() {
		defer close(done)
		// Whether it succeeds is seen by what the session does next.
		_ = s.host.api.abort(s.host.life, s.dir, s.id, abortTime)
		if before != nil {
			<-before
		}
	})
	if !begun {
		close(done)
	}
	return done
}

// Stop has the server abort the turn and returns when that is over. If it has
// not ended the turn after grace, the server is ended, unless it is at work for
// others: then the turn ends as cancelled, and the session takes no prompt
// until the server is through with it.
func (s *Session) Stop(ctx context.Context, grace time.Duration) error {
	t := s.current()
	if t == nil {
		return nil
	}
	stopped := func() error {
		return fmt.Errorf("stop agent %s: %w", s.host.def.Name, context.Cause(ctx))
	}
	select {
	case t.stop <- grace:
	case <-t.ended:
		return nil
	case <-ctx.Done():
		return stopped()
	}
	select {
	case <-t.ended:
		return nil
	case <-ctx.Done():
		return stopped()
	}
}

// Close puts the session away; it stays in the server's store, and the server
// lives on. A turn in flight is aborted.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	t := s.turn
	s.mu.Unlock()
	if t != nil {
		if err := s.Stop(ctx, closeGrace); err != nil {
			return err
		}
	}
	s.host.drop(s)
	return s.endTools()
}

// endTools ends what the commands of the session have started and the server has
// left running, such as what went into the background. Other chats' live on.
func (s *Session) endTools() error {
	if err := s.host.child.EndPart(context.Background(), dirVar+"="+s.dir, toolGrace); err != nil {
		return orchestrator.Errorf(orchestrator.CodeAgent, "agent %s: %w", s.host.def.Name, err)
	}
	return nil
}
