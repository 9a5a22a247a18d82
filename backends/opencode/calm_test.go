package opencode

import (
	"context"
	"errors"
	"testing"
	"time"

	"boo/orchestrator"
)

// TestAPromptThatWaitsForAnAbortCanBeStopped has an abort out that nothing
// answers.
func TestAPromptThatWaitsForAnAbortCanBeStopped(t *testing.T) {
	r := newReplay(t, readFrames(t, "tools"))
	s := r.open(t, brisk)
	s.mu.Lock()
	s.aborted, s.unquiet = make(chan struct{}), true
	s.mu.Unlock()
	stopped := make(chan error, 1)
	go func() {
		for s.current() == nil {
			<-time.After(time.Millisecond)
		}
		stopped <- s.Stop(context.Background(), 20*time.Second)
	}()
	o := s.collect(t.Context(), nil)
	if err := <-stopped; o.err != nil || o.result.Stop != "cancelled" || err != nil {
		t.Errorf("ended with %q, %v; %v", o.result.Stop, o.err, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sent != 0 {
		t.Error("the prompt was sent")
	}
}

// waiting returns a session with an abort out that nothing answers.
func waiting(t *testing.T, r *replay, calm time.Duration) *Session {
	p := brisk
	p.calm = calm
	s := r.open(t, p)
	s.mu.Lock()
	s.aborted, s.unquiet = make(chan struct{}), true
	s.mu.Unlock()
	return s
}

// TestAServerThatDoesNotComeToTheEndOfAnAbortIsEnded where nobody else needs it.
func TestAServerThatDoesNotComeToTheEndOfAnAbortIsEnded(t *testing.T) {
	r := newReplay(t, readFrames(t, "tools"))
	s := waiting(t, r, time.Millisecond)
	if o := s.collect(t.Context(), nil); !errors.Is(o.err, orchestrator.ErrUnsent) {
		t.Errorf("ended with %q, %v", o.result.Stop, o.err)
	}
	select {
	case <-s.host.Done():
	default:
		t.Error("the server is there")
	}
	if err := s.host.Failure(t.Context()); err != nil {
		t.Errorf("boo's own doing is told as %v", err)
	}
}

// TestAServerAtWorkForOthersIsNotEndedForAnAbort has a second session's turn in
// flight, so that only the first one's prompt can give way.
func TestAServerAtWorkForOthersIsNotEndedForAnAbort(t *testing.T) {
	r := newReplay(t, readFrames(t, "tools"))
	s := waiting(t, r, time.Millisecond)
	other := &Session{host: s.host, id: "ses_other", dir: "/other"}
	s.host.mu.Lock()
	s.host.sessions[other.id] = other
	s.host.mu.Unlock()
	theirs, err := other.enter(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.leave(theirs)
	mine, err := s.enter(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.leave(mine)
	limit, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if stopped, err := s.calm(limit, mine.stop); stopped || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stopped %v, %v", stopped, err)
	}
	select {
	case <-s.host.Done():
		t.Error("the server was ended")
	default:
	}
}

// TestNoTurnBeginsOnAServerThatIsBeingEnded: it would end with the server, as if
// somebody had stopped it.
func TestNoTurnBeginsOnAServerThatIsBeingEnded(t *testing.T) {
	r := newReplay(t, readFrames(t, "tools"))
	s := r.open(t, brisk)
	if !s.host.retire(nil) {
		t.Fatal("it is at work")
	}
	ended := make(chan outcome, 1)
	go func() { ended <- s.collect(context.Background(), nil) }()
	for s.current() == nil {
		<-time.After(time.Millisecond)
	}
	if err := s.host.child.End(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if o := <-ended; !errors.Is(o.err, orchestrator.ErrUnsent) {
		t.Errorf("ended with %q, %v", o.result.Stop, o.err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sent != 0 {
		t.Error("its prompt was sent")
	}
}
