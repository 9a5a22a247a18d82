package acp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"boo/orchestrator"
)

// ctxGrace is what the agent gets to end its turn when Prompt's ctx ends.
const ctxGrace = 3 * time.Second

const stopCancelled = "cancelled"

// exchange is a prompt on its way, owned by the goroutine that prompts.
type exchange struct {
	s        *Session
	t        *turn
	call     *call
	stopping bool
	grace    <-chan time.Time
}

// Prompt sends the blocks as one prompt and returns when the agent has ended
// the turn; see orchestrator.AgentSession. When ctx ends, the turn is stopped
// as by Stop with 3 s of grace. A turn that was stopped returns "cancelled"
// and no error, also when the agent answers the cancelling with an error or
// has to be killed.
func (s *Session) Prompt(ctx context.Context, blocks []string, sent func() error, sink func(orchestrator.Event)) (orchestrator.TurnResult, error) {
	params := sdk.PromptRequest{SessionId: sdk.SessionId(s.id), Prompt: []sdk.ContentBlock{}}
	for _, block := range blocks {
		params.Prompt = append(params.Prompt, sdk.TextBlock(block))
	}
	t, err := s.enter(sink)
	if err != nil {
		return orchestrator.TurnResult{}, err
	}
	defer s.leave(t)
	call, line, err := s.conn.prepare(methodPrompt, params, func() {
		t.settle()
		s.hush()
	})
	if err != nil {
		return orchestrator.TurnResult{}, err
	}
	defer s.conn.forget(call)
	if err := sent(); err != nil {
		return orchestrator.TurnResult{}, err
	}
	if untold := s.takeUntold(); untold != nil {
		t.take(untold)
	}
	s.listen(t)
	s.conn.out.write(line)
	x := &exchange{s: s, t: t, call: call}
	return x.await(ctx)
}

// enter takes the session for one prompt.
func (s *Session) enter(sink func(orchestrator.Event)) (*turn, error) {
	select {
	case <-s.conn.ended:
		return nil, orchestrator.Errorf(orchestrator.CodeAgent, "agent %s: %w", s.def.Name, orchestrator.ErrUnsent)
	case <-s.conn.out.broken:
		return nil, orchestrator.Errorf(orchestrator.CodeAgent, "agent %s takes no input any more: %w", s.def.Name, orchestrator.ErrUnsent)
	default:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		return nil, orchestrator.Errorf(orchestrator.CodeBusy, "agent %s has a turn in flight", s.def.Name)
	}
	s.turn = newTurn(sink, &s.meter)
	s.turn.asides = s.def.Quirks.Asides
	s.turn.tools.noise = s.def.Quirks.Noise
	return s.turn, nil
}

// takeUntold returns what came between turns and is the next one's to tell.
func (s *Session) takeUntold() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	untold := s.untold
	s.untold = nil
	return untold
}

// listen makes the updates that are read from here on the turn's.
func (s *Session) listen(t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = t
}

// hush ends that, and the turn's permission requests: the agent has answered,
// or is gone. The reading goroutine calls it before it hands the answer over,
// so what trails behind the answer is no part of the turn.
func (s *Session) hush() {
	s.mu.Lock()
	s.live = nil
	s.mu.Unlock()
	s.cancelPermissions()
}

func (s *Session) leave(t *turn) {
	s.hush()
	s.mu.Lock()
	s.turn = nil
	s.mu.Unlock()
	close(t.ended)
}

// await waits for the end of the turn.
func (x *exchange) await(ctx context.Context) (orchestrator.TurnResult, error) {
	stopped := ctx.Done()
	for {
		select {
		case a := <-x.call.answer:
			if x.unasked(a) && x.s.dying() {
				return x.died(ctx, errEnded)
			}
			return x.answered(a)
		case <-x.s.conn.ended:
			return x.died(ctx, errEnded)
		case <-x.s.conn.out.broken:
			return x.died(ctx, x.s.conn.out.failure())
		case grace := <-x.t.stop:
			x.cancel(grace)
		case <-stopped:
			stopped = nil
			x.cancel(ctxGrace)
		case <-x.grace:
			return x.kill(ctx)
		}
	}
}

// cancel tells the agent to end the turn, and answers what it asks. A second
// one only sets a new deadline.
func (x *exchange) cancel(grace time.Duration) {
	if !x.stopping {
		x.stopping = true
		// The prompt went into the outbox first: the agent reads them in order.
		_ = x.s.conn.notify(methodCancel, sdk.CancelNotification{SessionId: sdk.SessionId(x.s.id)}) // encoding an id cannot fail
	}
	x.s.stopPermissions(x.t)
	x.grace = time.After(max(grace, 0))
}

// answered judges the agent's answer.
func (x *exchange) answered(a answer) (orchestrator.TurnResult, error) {
	why := ""
	if x.stopping {
		why = stopCancelled
	} else if a.err != nil {
		why = "the turn failed"
	}
	usage, opening := x.t.end(why)
	result := orchestrator.TurnResult{Stop: stopCancelled, Usage: usage}
	if a.err != nil {
		if x.stopping || x.s.isClosing() {
			return result, nil
		}
		result.Stop = ""
		return result, x.s.explain("answer the prompt", a.err)
	}
	var r promptResult
	if err := json.Unmarshal(a.result, &r); err != nil || r.Stop == "" {
		if x.stopping {
			return result, nil
		}
		result.Stop = ""
		return result, orchestrator.Errorf(orchestrator.CodeAgent, "agent %s ended the turn without saying why", x.s.def.Name)
	}
	result.Stop = r.Stop
	if text, ok := x.s.posing(opening); ok && r.Stop == string(sdk.StopReasonEndTurn) && !x.stopping {
		// The token counts of such an answer are those of an earlier one.
		return result, x.s.explain("reach its model", &rpcError{Message: text})
	}
	if tokens, ok := r.tokens(); ok {
		result.Usage.Input, result.Usage.Output = tokens.Input, tokens.Output
		result.Usage.CacheRead, result.Usage.CacheWrite = tokens.CacheRead, tokens.CacheWrite
	}
	return result, nil
}

// unasked reports whether the agent says that its turn was cancelled, which
// nobody asked for: the last word of one whose other processes are gone.
func (x *exchange) unasked(a answer) bool {
	var r promptResult
	return !x.stopping && !x.s.isClosing() && a.err == nil && json.Unmarshal(a.result, &r) == nil && r.Stop == stopCancelled
}

// dying reports whether the agent's output ends within a moment.
func (a *agent) dying() bool {
	select {
	case <-a.conn.ended:
		return true
	case <-time.After(exitTime):
		return false
	}
}

// posing reports whether a message is a failure of the model call, told as if
// it were the agent's answer. text is its first paragraph.
func (s *Session) posing(opening string) (text string, ok bool) {
	ok = slices.ContainsFunc(s.def.Quirks.ErrorText, func(begin string) bool { return strings.HasPrefix(opening, begin) })
	text, _, _ = strings.Cut(opening, "\n")
	return text, ok
}

// kill ends an agent that did not end its turn in time.
func (x *exchange) kill(ctx context.Context) (orchestrator.TurnResult, error) {
	ctx = context.WithoutCancel(ctx)
	x.s.ordered.Store(true)
	err := x.s.child.End(ctx, killGrace)
	if err == nil {
		err = x.s.drain(ctx)
	}
	usage, _ := x.t.end(stopCancelled)
	result := orchestrator.TurnResult{Stop: stopCancelled, Usage: usage}
	if err != nil {
		return result, orchestrator.Errorf(orchestrator.CodeAgent, "agent %s did not end: %w", x.s.def.Name, err)
	}
	return result, nil
}

// died ends what is left of an agent that broke off in mid-turn, unless the
// answer was the last it said.
func (x *exchange) died(ctx context.Context, cause error) (orchestrator.TurnResult, error) {
	end := x.s.bury(context.WithoutCancel(ctx), cause)
	select {
	case a := <-x.call.answer:
		if !x.unasked(a) {
			return x.answered(a)
		}
	default:
	}
	cancelled := x.stopping || x.s.isClosing()
	why := "the agent ended"
	if cancelled {
		why = stopCancelled
	}
	usage, _ := x.t.end(why)
	if cancelled {
		return orchestrator.TurnResult{Stop: stopCancelled, Usage: usage}, nil
	}
	return orchestrator.TurnResult{Usage: usage}, x.s.obituary(end)
}
