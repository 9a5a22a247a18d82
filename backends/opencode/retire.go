package opencode

import (
	"context"

	"boo/orchestrator"
)

// retire gives the server up for good, unless a turn of another session than but
// is in flight: that one would lose it. No turn begins after it.
func (h *Host) retire(but *Session) bool {
	h.door.Lock()
	defer h.door.Unlock()
	if h.working(but) {
		return false
	}
	h.retired = true
	h.ordered.Store(true)
	return true
}

// serves returns nil if the server is there for a turn that can be seen by
// retire. One that was given up is waited for, so that the next one is another.
func (h *Host) serves(ctx context.Context) error {
	h.door.Lock()
	retired := h.retired
	h.door.Unlock()
	if retired {
		select {
		case <-h.child.Done():
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-after(2 * termGrace):
			return h.unsent()
		}
	}
	select {
	case <-h.child.Done():
		return h.unsent()
	default:
		return nil
	}
}

// unsent is the error of a prompt whose server has ended before it.
func (h *Host) unsent() error {
	return orchestrator.Errorf(orchestrator.CodeAgent, "the server of agent %s: %w", h.def.Name, orchestrator.ErrUnsent)
}
