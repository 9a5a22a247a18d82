package opencode

import (
	"context"
	"time"

	"boo/orchestrator"
)

// inspect asks the server how the turn stands: whether it works at the session,
// and what it has recorded. If the turn is not over, it is looked at again,
// later and later.
func (t *turn) inspect(ctx context.Context) *end {
	// A turn that is stopped is seen to its end as well.
	ctx = context.WithoutCancel(ctx)
	api := t.s.host.api
	busy, err := api.busy(ctx, t.s.dir, t.s.id)
	if err != nil {
		t.again()
		return nil // the health of the server is watched by the stream
	}
	all, err := api.messages(ctx, t.s.dir, t.s.id, lookBack)
	if err != nil {
		t.again()
		return nil
	}
	last := t.absorb(all)
	if last != nil && last.Finish == finishTools && !busy {
		// It goes on after such an answer, as a rule: it may have begun only since
		// it was asked.
		if busy, err = api.busy(ctx, t.s.dir, t.s.id); err != nil {
			t.again()
			return nil
		}
	}
	if busy {
		t.still = time.Time{}
		if t.stopping {
			t.abortAgain()
			return nil
		}
		// Its idle will come by the stream, and if that is lost, with the next.
		t.wait = lookMin
		t.look.Reset(t.s.host.pace.fence)
		return nil
	}
	if over := t.judge(ctx, last); over != nil {
		return over
	}
	t.again()
	return nil
}

// abortAgain repeats an abort that was answered, and of no use: it came before
// the server had begun with the prompt that it has taken. A server that answers
// at once gets a moment for each.
func (t *turn) abortAgain() {
	if t.handed == nil && t.aborted == nil && time.Since(t.tried) >= lookMin {
		t.abort()
	}
	t.again()
}

// again sets the next look.
func (t *turn) again() {
	t.look.Reset(t.wait)
	t.wait = min(2*t.wait, lookMax)
}

// absorb takes from messages what the stream may have lost, and returns the
// newest answer to the prompt.
func (t *turn) absorb(all []message) (last *messageInfo) {
	for i := range all {
		t.head(all[i].Info)
		if !t.answers[all[i].Info.ID] {
			continue
		}
		last = &all[i].Info
		for _, p := range all[i].Parts {
			t.part(p)
		}
	}
	return last
}

// judge decides by the records of an idle session; nil if the turn is not over.
func (t *turn) judge(ctx context.Context, last *messageInfo) *end {
	if t.still.IsZero() {
		t.still = time.Now()
	}
	if t.bereft(ctx, last) {
		return nil
	}
	patience := t.s.host.pace.still
	stopped := t.stopping && t.handed == nil && t.aborted == nil
	switch {
	case last != nil && last.over():
		return t.verdict(last)
	case stopped && last == nil:
		patience = t.s.host.pace.late // it may begin with it yet
	case last == nil && t.failure != nil:
		return &end{err: t.s.host.failed("answer the prompt", firstLine(t.failure.text()))}
	case last == nil:
		patience = t.s.host.pace.fence
	}
	if time.Since(t.still) < patience {
		return nil
	}
	if last == nil && t.renewable() {
		t.renew(ctx, nil)
		return nil
	}
	if last == nil {
		t.s.haunt(t.id)
	}
	if t.stopping {
		return &end{result: orchestrator.TurnResult{Stop: stopCancelled}}
	}
	t.s.abort() // nobody would listen if it went on now
	if last == nil {
		return &end{err: orchestrator.Errorf(orchestrator.CodeAgent, "agent %s swallowed the prompt: it took it, and is idle without an answer", t.s.host.def.Name).
			WithHint("send it again: boo chat send …")}
	}
	return t.brokenOff()
}

func (t *turn) brokenOff() *end {
	return &end{err: orchestrator.Errorf(orchestrator.CodeAgent, "agent %s stopped in the middle of its answer", t.s.host.def.Name).
		WithHint("boo chat send \"go on\"")}
}

// verdict is how the newest answer says that the turn ended.
func (t *turn) verdict(last *messageInfo) *end {
	if last.aborted() && t.laid != nil && !t.stopping {
		return t.brokenOff() // by boo, and not for anybody who stopped it
	}
	if f := last.Error; f != nil {
		switch {
		case last.aborted(), t.stopping:
			return &end{result: orchestrator.TurnResult{Stop: stopCancelled}}
		case f.Name == errorLength:
			return &end{result: orchestrator.TurnResult{Stop: "max_tokens"}}
		}
		return &end{err: t.s.host.failed("reach its model", firstLine(f.text()))}
	}
	stop := "end_turn"
	switch last.Finish {
	case "length":
		stop = "max_tokens"
	case "content-filter":
		stop = "refusal"
	case "":
		stop = stopCancelled // the server gave it up between two tries
	case finishTools:
		if t.stopping {
			stop = stopCancelled
		}
	}
	return &end{result: orchestrator.TurnResult{Stop: stop}}
}
