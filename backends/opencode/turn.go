package opencode

import (
	"context"
	"sync"
	"time"

	"boo/orchestrator"
)

const (
	// inboxSize is how many events may wait for a turn before the stream does.
	inboxSize = 4096
	// lookMin and lookMax are the steps in which a session that is idle, but
	// whose answer is not complete, is looked at again.
	lookMin  = 100 * time.Millisecond
	lookMax  = 2 * time.Second
	ctxGrace = 3 * time.Second

	stopCancelled = "cancelled"
)

// turn is one prompt in flight. The goroutine that prompts owns everything
// below the channels; the stream and Stop reach it through them.
type turn struct {
	s     *Session
	in    chan update        // from the stream
	back  chan struct{}      // the stream was lost and is live again; capacity 1
	stop  chan time.Duration // requests to stop, with their grace
	ended chan struct{}      // closed when Prompt is about to return

	asks    sync.WaitGroup // goroutines of requests, in both directions
	askCtx  context.Context
	askStop context.CancelFunc

	sink     func(orchestrator.Event)
	id       string // of the prompt's message
	body     prompt
	open     bool            // the server has the prompt
	answers  map[string]bool // messages that answer it
	texts    map[string]*text
	tools    map[string]orchestrator.ToolCall
	steps    map[string]part // finished ones, by id: each is paid once
	asked    map[string]bool
	planned  []todo   // the newest plan
	failure  *failure // of the session, while the prompt was out
	stopping bool
	aborted  <-chan struct{} // closed when the abort was answered; nil before and after
	tried    time.Time       // when it was sent
	handed   <-chan error    // tells what became of the prompt's request; nil once it did
	recall   context.CancelFunc
	laid     <-chan struct{} // closed when the abort of a ghost was answered; nil if none began
	renewed  bool            // the prompt was handed over a second time
	void     string          // the answer that ended before that
	spoken   bool            // text of the answer was passed on

	deadline <-chan time.Time // of the grace
	look     *time.Timer      // when to look next
	wait     time.Duration    // before that
	still    time.Time        // since when it is idle and incomplete
}

func newTurn(s *Session, sink func(orchestrator.Event)) *turn {
	t := &turn{
		s: s, sink: sink, in: make(chan update, inboxSize), back: make(chan struct{}, 1),
		stop: make(chan time.Duration), ended: make(chan struct{}),
		answers: map[string]bool{}, texts: map[string]*text{}, tools: map[string]orchestrator.ToolCall{},
		steps: map[string]part{}, asked: map[string]bool{}, wait: lookMin,
	}
	t.askCtx, t.askStop = context.WithCancel(context.Background())
	return t
}

// missed tells the turn that events may have been lost.
func (t *turn) missed() {
	select {
	case t.back <- struct{}{}:
	default:
	}
}

// hush ends what the turn asks and is asked.
func (t *turn) hush() {
	if t.recall != nil {
		t.recall()
	}
	t.askStop()
	t.asks.Wait()
}

// end is how a turn is over.
type end struct {
	result orchestrator.TurnResult
	err    error
}

// run hands the prompt over and sees the turn to its end.
func (t *turn) run(ctx context.Context, blocks []string) (orchestrator.TurnResult, error) {
	t.id = newMessageID(time.Now())
	t.body = prompt{ID: t.id, Model: t.s.model, Agent: t.s.mode}
	for i, block := range blocks {
		t.body.Parts = append(t.body.Parts, textInput{ID: partID(t.id, i), Type: "text", Text: block})
	}
	t.look = time.NewTimer(t.s.host.pace.fence)
	defer t.look.Stop()
	t.hand(ctx)
	stopped := ctx.Done()
	for {
		var over *end
		select {
		case err := <-t.handed:
			t.handed = nil
			over = t.handedOver(ctx, err)
		case u := <-t.in:
			over = t.take(ctx, u)
		case <-t.back:
			t.gap()
			over = t.inspect(ctx)
		case <-t.look.C:
			over = t.inspect(ctx)
		case grace := <-t.stop:
			over = t.cancel(ctx, grace)
		case <-stopped:
			stopped = nil
			over = t.cancel(ctx, ctxGrace)
		case <-t.aborted:
			t.aborted = nil
			over = t.inspect(ctx)
		case <-t.deadline:
			over = t.force(ctx)
		case <-t.s.host.child.Done():
			over = t.died()
		}
		if over != nil {
			return t.close(over)
		}
	}
}

// hand sends the prompt, in a goroutine that the turn waits for. Stopping the
// turn does not break the request off: whether it has arrived could not be known.
func (t *turn) hand(ctx context.Context) {
	handed := make(chan error, 1)
	t.handed = handed
	ctx, t.recall = context.WithCancel(context.WithoutCancel(ctx))
	t.asks.Go(func() { handed <- t.s.host.api.prompt(ctx, t.s.dir, t.s.id, t.body) })
}

// handedOver looks at what became of the request that carried the prompt. One
// that broke off may have arrived all the same: what the server has decides.
func (t *turn) handedOver(ctx context.Context, err error) *end {
	if t.stopping {
		t.abort()
		return nil
	}
	if err == nil {
		return nil
	}
	if refused, ok := err.(*refusal); ok {
		return &end{err: t.s.host.failed("take the prompt", refused.Error())}
	}
	return t.inspect(ctx)
}

// cancel has the server abort the turn. A second one only sets a new deadline.
func (t *turn) cancel(ctx context.Context, grace time.Duration) *end {
	t.deadline = time.After(max(grace, 0))
	if t.stopping {
		return nil
	}
	t.stopping = true
	t.askStop()
	if t.handed == nil { // else the abort could overtake the prompt
		t.abort()
	}
	return nil
}

func (t *turn) abort() {
	t.tried = time.Now()
	t.aborted = t.s.abort()
}

// force ends a turn that the server did not end in time.
func (t *turn) force(ctx context.Context) *end {
	if len(t.answers) == 0 {
		t.s.haunt(t.id)
	}
	if !t.s.host.retire(t.s) {
		return &end{result: orchestrator.TurnResult{Stop: stopCancelled}}
	}
	if err := t.s.host.child.End(context.WithoutCancel(ctx), termGrace); err != nil {
		return &end{
			result: orchestrator.TurnResult{Stop: stopCancelled},
			err:    orchestrator.Errorf(orchestrator.CodeAgent, "agent %s did not end: %w", t.s.host.def.Name, err),
		}
	}
	return &end{result: orchestrator.TurnResult{Stop: stopCancelled}}
}

// died ends a turn whose server has gone.
func (t *turn) died() *end {
	if t.stopping || t.s.host.ordered.Load() {
		return &end{result: orchestrator.TurnResult{Stop: stopCancelled}}
	}
	return &end{err: t.s.host.obituary()}
}

// close settles what the turn leaves open, and adds up what it has cost.
func (t *turn) close(e *end) (orchestrator.TurnResult, error) {
	answered := t.open && e.err == nil && e.result.Stop != stopCancelled
	if t.handed != nil && !answered {
		t.recall()
		t.s.abort() // it may have arrived
	}
	t.hush()
	why := "the turn ended"
	if e.result.Stop == stopCancelled {
		why = stopCancelled
	} else if e.err != nil {
		why = "the turn failed"
	}
	if t.stopping {
		if err := t.s.endTools(); err != nil && e.err == nil {
			e.err = err
		}
	}
	t.settleTools(why)
	e.result.Usage = t.usage()
	return e.result, e.err
}
