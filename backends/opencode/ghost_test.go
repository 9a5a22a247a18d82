package opencode

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

// Events of a server that begins with a stopped prompt only when the next one
// waits behind it.
var (
	promptGate = `{"type":"gate","properties":{"on":"prompt"}}`
	abortGate  = `{"type":"gate","properties":{"on":"abort"}}`
	busyFrame  = `{"type":"session.status","properties":{"sessionID":"ses_recorded","status":{"type":"busy"}}}`
)

func userFrame(prompt int) string {
	return fmt.Sprintf(`{"type":"message.updated","properties":{"info":{"id":"msg_prompt%d","role":"user","sessionID":"ses_recorded"}}}`, prompt)
}

// answerFrame is the head of an answer; how has what ends it.
func answerFrame(id string, prompt int, how string) string {
	return fmt.Sprintf(`{"type":"message.updated","properties":{"info":{"id":%q,"role":"assistant","sessionID":"ses_recorded","parentID":"msg_prompt%d"%s}}}`, id, prompt, how)
}

func textFrame(answer, text string) string {
	return fmt.Sprintf(`{"type":"message.part.updated","properties":{"part":{"id":"prt_%s","messageID":%q,"sessionID":"ses_recorded","type":"text","text":%q,"time":{"end":1}}}}`, answer, answer, text)
}

const (
	isAborted = `,"error":{"name":"MessageAbortedError"},"time":{"completed":1}`
	isDone    = `,"finish":"stop","time":{"completed":1}`
)

// haunted is a turn that was stopped before the server began with it.
func haunted(t *testing.T, frames ...string) *Session {
	r := newReplay(t, append([]string{promptGate, abortGate, statusFrame}, frames...))
	s := r.open(t, brisk)
	r.mu.Lock()
	r.begun = func() {
		r.mu.Lock()
		r.begun = nil
		r.mu.Unlock()
		go func() { _ = s.Stop(context.Background(), 20*time.Second) }() // ends with the turn
	}
	r.mu.Unlock()
	if o := s.collect(t.Context(), nil); o.err != nil || o.result.Stop != "cancelled" {
		t.Fatalf("ended with %q, %v", o.result.Stop, o.err)
	}
	return s
}

// TestAPromptBehindAGhost is what the abort of the ghost in front of it leaves of
// the next prompt, and what becomes of that.
func TestAPromptBehindAGhost(t *testing.T) {
	again := []string{promptGate, busyFrame, userFrame(3), answerFrame("msg_z", 3, ""), textFrame("msg_z", "hello"), answerFrame("msg_z", 3, isDone), statusFrame, idleFrame}
	for name, c := range map[string]struct {
		left []string
		text string
		err  string
	}{
		"is handed over again where nothing answers it": {again, "hello", ""},
		"is handed over again where its answer was given up": {
			append([]string{answerFrame("msg_y", 2, ""), answerFrame("msg_y", 2, isAborted), statusFrame, idleFrame}, again...), "hello", ""},
		"is answered after all": {
			[]string{busyFrame, answerFrame("msg_y", 2, ""), textFrame("msg_y", "hello"), answerFrame("msg_y", 2, isDone), statusFrame, idleFrame}, "hello", ""},
		"has not been stopped by anybody where its answer had begun": {
			[]string{busyFrame, answerFrame("msg_y", 2, ""), textFrame("msg_y", "hel"), answerFrame("msg_y", 2, isAborted), statusFrame, idleFrame}, "hel", "middle of its answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			frames := []string{promptGate, busyFrame, answerFrame("msg_x", 1, ""), userFrame(2), abortGate, answerFrame("msg_x", 1, isAborted), statusFrame, idleFrame}
			s := haunted(t, append(frames, c.left...)...)
			o := s.collect(t.Context(), nil)
			if o.text != c.text {
				t.Errorf("said %q, want %q", o.text, c.text)
			}
			if c.err == "" && (o.err != nil || o.result.Stop != "end_turn") {
				t.Errorf("ended with %q, %v", o.result.Stop, o.err)
			}
			if c.err != "" && (orchestrator.CodeOf(o.err) != orchestrator.CodeAgent || !strings.Contains(o.err.Error(), c.err)) {
				t.Errorf("ended with %q, %v", o.result.Stop, o.err)
			}
		})
	}
}

// TestAGhostIsLaidBetweenTurns: it would work on unseen.
func TestAGhostIsLaidBetweenTurns(t *testing.T) {
	aborted := answerFrame("msg_x", 1, isAborted)
	s := haunted(t, busyFrame, answerFrame("msg_x", 1, ""), abortGate, aborted, statusFrame, promptGate,
		busyFrame, userFrame(2), answerFrame("msg_y", 2, ""), textFrame("msg_y", "hello"), answerFrame("msg_y", 2, isDone), statusFrame, idleFrame)
	for s.haunting() != "" {
		<-time.After(time.Millisecond)
	}
	if o := s.collect(t.Context(), nil); o.err != nil || o.result.Stop != "end_turn" || o.text != "hello" {
		t.Errorf("ended with %q, %v, said %q", o.result.Stop, o.err, o.text)
	}
}

func (s *Session) haunting() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ghost
}
