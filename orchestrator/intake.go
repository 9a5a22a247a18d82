package orchestrator

import "context"

// Retire closes the intake for good, if no turn is under way or waits. It returns
// how many do; 0 means that nothing can be sent any more.
func (e *Engine) Retire() (underWay int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.live) == 0 {
		e.closed = true
	}
	return len(e.live)
}

// WaitIdle returns when no turn is under way or waits, or with ctx. Another may
// have been sent since.
func (e *Engine) WaitIdle(ctx context.Context) error {
	e.mu.Lock()
	if len(e.live) == 0 {
		e.mu.Unlock()
		return nil
	}
	if e.idle == nil {
		e.idle = make(chan struct{})
	}
	idle := e.idle
	e.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Drain closes the intake, ends all turns as interrupted, and returns when their
// work and their end are on record, or with ctx: what is not is settled by the
// next boo that looks.
func (e *Engine) Drain(ctx context.Context) error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.end()
	return e.WaitIdle(ctx)
}

// WhenIdle has rest called each time that the last turn under way has ended. It
// has to return at once, and calls nothing of the engine's. It is set before the
// engine is used.
func (e *Engine) WhenIdle(rest func()) { e.atRest = rest }

// settled tells those who wait for it that no turn is under way. The caller holds
// e.mu.
func (e *Engine) settled() {
	if len(e.live) > 0 {
		return
	}
	if e.idle != nil {
		close(e.idle)
		e.idle = nil
	}
	if e.atRest != nil {
		e.atRest()
	}
}
