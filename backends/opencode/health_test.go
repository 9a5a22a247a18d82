package opencode

import (
	"errors"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

// TestASilentServerThatDoesNotAnswerIsGivenUp holds an idle server to the four
// rounds that it gets, and its session to the reason.
func TestASilentServerThatDoesNotAnswerIsGivenUp(t *testing.T) {
	r := newReplay(t, readFrames(t, "tools"))
	s := r.open(t, pace{fence: time.Second, still: time.Second, stall: 100 * time.Millisecond, retry: 10 * time.Millisecond})
	r.unwell.Store(true)
	r.hangUp()
	select {
	case <-s.host.Done():
	case <-time.After(time.Minute):
		t.Fatal("it is still waited for")
	}
	if n := r.tries.Load(); n < hungIdle-1 {
		t.Errorf("given up after %d tries", n)
	}
	if err := s.host.Failure(t.Context()); !errors.Is(err, orchestrator.ErrAgentDied) || !strings.Contains(err.Error(), "boo ended it") {
		t.Errorf("failure: %v", err)
	}
}

// TestABusyServerGetsMorePatience does the same in the middle of a turn: it is
// not given up, and the turn ends well once the server is itself again.
func TestABusyServerGetsMorePatience(t *testing.T) {
	frames := readFrames(t, "tools")
	r := newReplay(t, frames)
	s := r.open(t, pace{fence: time.Minute, still: time.Second, stall: 100 * time.Millisecond, retry: 10 * time.Millisecond})
	hold := make(chan struct{})
	r.at = func(i int) {
		if i == len(frames)/2 {
			r.unwell.Store(true)
			r.hangUp()
			<-hold
		}
	}
	go func() { // ends with the turn, which it lets go on
		defer close(hold)
		for r.tries.Load() < hungIdle+3 { // more than an idle server gets
			select {
			case <-time.After(20 * time.Millisecond):
			case <-s.host.Done():
				return
			}
		}
		r.unwell.Store(false)
	}()
	o := s.collect(t.Context(), nil)
	if o.err != nil || o.result.Stop != "end_turn" || o.text != "hello there\n" {
		t.Errorf("ended with %q, %v, said %q", o.result.Stop, o.err, o.text)
	}
}

// TestTwoSessionsDoNotMeet plays another session's events in between.
func TestTwoSessionsDoNotMeet(t *testing.T) {
	r := newReplay(t, readFrames(t, "tools"))
	r.mangle = func(f string) []string {
		return []string{strings.ReplaceAll(f, "ses_recorded", "ses_other"), f, strings.ReplaceAll(f, "ses_recorded", "ses_third")}
	}
	s := r.open(t, brisk)
	o := s.collect(t.Context(), nil)
	if o.err != nil || o.text != "hello there\n" || o.thought != "hm\n" || len(o.tools) != 3 {
		t.Errorf("%v, said %q, thought %q, tools %v", o.err, o.text, o.thought, o.tools)
	}
	if s.host.counts.Foreign.Load() == 0 {
		t.Error("the others' events were not counted")
	}
}
