package opencode

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

var brisk = pace{fence: 5 * time.Second, late: time.Second, still: time.Second, calm: 10 * time.Second, stall: 10 * time.Second, retry: 50 * time.Millisecond}

// TestRecordedTurns plays what the real server says, and holds each turn to
// what it was.
func TestRecordedTurns(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  string // to permission requests
		stopAt  string // the kind of event on which the turn is stopped
		stop    string
		err     string
		text    string
		tools   string
		replies int
	}{
		{name: "tools", stop: "end_turn", text: "hello there\n",
			tools: "todowrite · 2 todos completed, write · /tree/a.txt completed, bash · echo hi completed"},
		{name: "perm", answer: "once", stop: "end_turn", text: "done\n", tools: "write · /outside/outside.txt completed", replies: 1},
		{name: "permreject", answer: "reject", stop: "end_turn", tools: "write · /outside/outside3.txt failed", replies: 1},
		{name: "permabort", stopAt: "permission", stop: "cancelled", tools: "write · /outside/outside2.txt failed"},
		{name: "toolabort", stopAt: "tool", stop: "cancelled", tools: "bash · sleep 30 completed"},
		{name: "abort", stopAt: "begin", stop: "cancelled"},
		{name: "retry", stopAt: "notice", stop: "cancelled"},
		{name: "unauth", err: "bad key"},
		{name: "badmodel", err: "Model not found: x/y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newReplay(t, readFrames(t, c.name))
			s := r.open(t, brisk)
			stop := func() { go func() { _ = s.Stop(context.Background(), 20*time.Second) }() } // ends with the turn
			s.Serve(orchestrator.SessionRequest{Permit: func(ctx context.Context, p orchestrator.Permission) (string, error) {
				if c.answer != "" {
					return c.answer, nil
				}
				stop()
				<-ctx.Done()
				return "", ctx.Err()
			}})
			if c.stopAt == "begin" {
				r.mu.Lock()
				r.begun = stop
				r.mu.Unlock()
			}
			o := s.collect(t.Context(), func(e orchestrator.Event) {
				if string(e.Kind) == c.stopAt && (e.Tool == nil || e.Tool.Status == "in_progress") {
					stop()
				}
			})
			if o.result.Stop != c.stop || o.text != c.text {
				t.Errorf("ended with %q, said %q", o.result.Stop, o.text)
			}
			if (o.err == nil) != (c.err == "") || o.err != nil && !strings.Contains(o.err.Error(), c.err) {
				t.Errorf("error: %v", o.err)
			}
			var tools []string
			for _, state := range o.tools {
				tools = append(tools, state)
			}
			for _, want := range strings.Split(c.tools, ", ") {
				if !strings.Contains(strings.Join(tools, ", "), want) {
					t.Errorf("tools: %q, want %q", tools, want)
				}
			}
			if len(r.replies) != c.replies {
				t.Errorf("replies: %q", r.replies)
			}
		})
	}
}

// TestEveryStepIsPaidOnce holds the usage to the sum of the steps, which the
// stream and the records both tell.
func TestEveryStepIsPaidOnce(t *testing.T) {
	r := newReplay(t, readFrames(t, "tools"))
	o := r.open(t, brisk).collect(t.Context(), nil)
	want := orchestrator.Usage{}
	for _, f := range readFrames(t, "tools") {
		if u, _, _ := decode([]byte(f)); u.kind == kindPart && u.part.Type == "step-finish" {
			want.Input += u.part.Tokens.Input
			want.Output += u.part.Tokens.Output
		}
	}
	if o.result.Usage.Input != want.Input || o.result.Usage.Output != want.Output || want.Input == 0 {
		t.Errorf("usage %+v, want %+v", o.result.Usage, want)
	}
	if o.plan != 2 || o.thought != "hm\n" {
		t.Errorf("plan of %d, thought %q", o.plan, o.thought)
	}
}

// TestOrphanTerminalsSettleNothing plays the ends of an earlier turn into the
// beginning of the next one.
func TestOrphanTerminalsSettleNothing(t *testing.T) {
	for name, orphans := range map[string][]string{
		"idle":             {idleFrame},
		"two idles":        {statusFrame, idleFrame, statusFrame, idleFrame},
		"error and idle":   {abortedFrame, idleFrame},
		"late delta, idle": {lateFrame, idleFrame},
	} {
		for _, after := range []string{"user", "busy", "assistant"} {
			t.Run(name+" after "+after, func(t *testing.T) {
				t.Parallel()
				r := newReplay(t, readFrames(t, "tools"))
				done := false
				r.mangle = func(f string) []string {
					here := strings.Contains(f, `"role":"`+after+`"`) || strings.Contains(f, `"type":"`+after+`"`)
					if here && !done {
						done = true
						return append([]string{f}, orphans...)
					}
					return []string{f}
				}
				o := r.open(t, brisk).collect(t.Context(), nil)
				if o.err != nil || o.result.Stop != "end_turn" || o.text != "hello there\n" {
					t.Errorf("ended with %q, %v, said %q", o.result.Stop, o.err, o.text)
				}
			})
		}
	}
}

const (
	idleFrame    = `{"type":"session.idle","properties":{"sessionID":"ses_recorded"}}`
	statusFrame  = `{"type":"session.status","properties":{"sessionID":"ses_recorded","status":{"type":"idle"}}}`
	abortedFrame = `{"type":"session.error","properties":{"sessionID":"ses_recorded","error":{"name":"MessageAbortedError"}}}`
	lateFrame    = `{"type":"message.part.delta","properties":{"sessionID":"ses_recorded","messageID":"msg_old","partID":"prt_old","field":"text","delta":"late"}}`
)

// TestALostStreamLosesNothing hangs the stream up before every frame in turn.
func TestALostStreamLosesNothing(t *testing.T) {
	frames := readFrames(t, "tools")
	for i := 1; i < len(frames); i += 4 {
		t.Run(fmt.Sprintf("before frame %d", i), func(t *testing.T) {
			t.Parallel()
			r := newReplay(t, frames)
			r.at = func(at int) {
				if at == i {
					r.hangUp()
				}
			}
			o := r.open(t, brisk).collect(t.Context(), nil)
			if o.err != nil || o.result.Stop != "end_turn" || o.text != "hello there\n" || o.thought != "hm\n" {
				t.Errorf("ended with %q, %v, said %q, thought %q", o.result.Stop, o.err, o.text, o.thought)
			}
			if len(o.tools) != 3 {
				t.Errorf("tools: %v", o.tools)
			}
		})
	}
}

// impatient takes little time for much waiting.
var impatient = pace{fence: 50 * time.Millisecond, late: 50 * time.Millisecond, still: 20 * time.Millisecond, calm: 10 * time.Second, stall: 10 * time.Second, retry: 10 * time.Millisecond}

// TestASwallowedPromptIsFoundOut has the message there, twice, and nothing
// follows. The server is told to leave it, lest it begin with it when nobody listens.
func TestASwallowedPromptIsFoundOut(t *testing.T) {
	r := newReplay(t, slices.Repeat(readFrames(t, "tools")[:2], 2))
	r.at = func(int) {
		r.mu.Lock()
		r.busy = false
		r.mu.Unlock()
	}
	o := r.open(t, impatient).collect(t.Context(), nil)
	if orchestrator.CodeOf(o.err) != orchestrator.CodeAgent || !strings.Contains(o.err.Error(), "swallowed") {
		t.Errorf("got %v", o.err)
	}
	select {
	case <-r.gates["abort"]:
	case <-time.After(time.Minute):
		t.Error("the prompt was left with the server")
	}
}

// TestASlowModelHasNotSwallowedAPrompt has a server work at a prompt for many
// times as long as a silent one is waited for, with no word of an answer.
func TestASlowModelHasNotSwallowedAPrompt(t *testing.T) {
	for name, repeats := range map[string]bool{"busy": false, "repeats the call": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReplay(t, readFrames(t, "tools"))
			r.calls.Store(repeats)
			r.at = func(i int) {
				for i == 2 && r.looks.Load() < 6 { // there is the prompt, and no answer
					<-time.After(time.Millisecond)
				}
			}
			o := r.open(t, impatient).collect(t.Context(), nil)
			if o.err != nil || o.result.Stop != "end_turn" || o.text != "hello there\n" {
				t.Errorf("ended with %q, %v, said %q", o.result.Stop, o.err, o.text)
			}
		})
	}
}

// TestAnAnswerOfToolCallsIsNotTheLast has the turn look while the server is
// between two steps: idle a moment before, and with one answer a moment after.
func TestAnAnswerOfToolCallsIsNotTheLast(t *testing.T) {
	frames := readFrames(t, "tools")
	first := 1 + slices.IndexFunc(frames, func(f string) bool {
		return strings.Contains(f, `"finish":"tool-calls"`) && strings.Contains(f, `"completed":`)
	})
	r := newReplay(t, frames)
	r.at = func(i int) {
		if i != first {
			return
		}
		r.blind.Store(1)
		seen := r.looks.Load()
		r.hangUp() // the turn looks once it hears again
		for r.looks.Load() < seen+2 {
			<-time.After(time.Millisecond)
		}
	}
	o := r.open(t, brisk).collect(t.Context(), nil)
	if o.err != nil || o.result.Stop != "end_turn" || o.text != "hello there\n" {
		t.Errorf("ended with %q, %v, said %q", o.result.Stop, o.err, o.text)
	}
}

func TestTheServersEndIsTheTurns(t *testing.T) {
	frames := readFrames(t, "tools")
	r := newReplay(t, frames[:len(frames)/2])
	s := r.open(t, brisk)
	o := s.collect(t.Context(), func(e orchestrator.Event) {
		if e.Kind == orchestrator.EventTool {
			_ = s.host.child.End(t.Context(), 0)
		}
	})
	if orchestrator.CodeOf(o.err) != orchestrator.CodeAgent || !strings.Contains(o.err.Error(), "exit status 3") {
		t.Errorf("got %v", o.err)
	}
	if o = s.collect(t.Context(), nil); !errors.Is(o.err, orchestrator.ErrUnsent) {
		t.Errorf("the next prompt: %v", o.err)
	}
}

// TestAPromptThatBeginsAfterItsAbortIsAbortedAgain plays a server that answers
// the abort before it begins with the prompt.
func TestAPromptThatBeginsAfterItsAbortIsAbortedAgain(t *testing.T) {
	frames := readFrames(t, "toolabort")
	gate := slices.IndexFunc(frames, func(f string) bool { return strings.Contains(f, `"on":"abort"`) })
	late := slices.Insert(slices.Clone(frames), 1, frames[gate]) // the first abort comes before everything
	r := newReplay(t, late)
	s := r.open(t, brisk)
	r.mu.Lock()
	r.begun = func() {
		r.mu.Lock()
		r.busy = false
		r.mu.Unlock()
		go func() { _ = s.Stop(context.Background(), 20*time.Second) }() // ends with the turn
	}
	r.mu.Unlock()
	o := s.collect(t.Context(), nil)
	if o.err != nil || o.result.Stop != "cancelled" {
		t.Errorf("ended with %q, %v", o.result.Stop, o.err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy {
		t.Error("the server still works at it")
	}
}
