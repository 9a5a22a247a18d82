package acp

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"boo/backends"
)

// agent is a running agent as all its sessions see it: its process and the
// connection to it.
type agent struct {
	def   backends.Definition
	child backends.Child
	conn  *conn
	// ordered says that its end is boo's doing.
	ordered atomic.Bool
}

func (a *agent) stats() Stats {
	a.conn.mu.Lock()
	defer a.conn.mu.Unlock()
	return a.conn.stats
}

// drain waits until everything that the agent wrote has been read.
func (a *agent) drain(ctx context.Context) error {
	select {
	case <-a.conn.ended:
		return nil
	case <-time.After(drainGrace):
		return fmt.Errorf("its output stays open after its end")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
