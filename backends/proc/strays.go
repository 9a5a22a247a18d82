package proc

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

const (
	strayGrace = time.Second           // TERM to KILL for a tree without a supervisor
	killLimit  = 10 * time.Second      // how long killed processes may take to be gone
	stormLimit = time.Minute           // how long new ones may come up meanwhile
	strayPace  = 20 * time.Millisecond // between two looks at the process table
	quietLooks = 2                     // a process in the midst of exec has no environment for a moment
)

// endAll ends all that belongs, descendants included: TERM, KILL to what is
// left after grace. It returns when nothing is left, with ctx, or with an
// error when something withstands KILL.
func endAll(ctx context.Context, grace time.Duration, belongs func(process) bool) error {
	p := newPursuit(belongs)
	start := time.Now()
	var killed time.Time // when the last of them was, for the first time
	tick := time.NewTicker(strayPace)
	defer tick.Stop()
	for quiet := 0; ; {
		sig := syscall.SIGTERM
		if time.Since(start) >= grace {
			sig = syscall.SIGKILL
		}
		alive, fresh, err := p.round(sig)
		if err != nil {
			return err
		}
		if len(alive) > 0 {
			quiet = 0
		} else if quiet++; quiet == quietLooks {
			return nil
		}
		// A look may take seconds where everybody wants to run.
		if sig == syscall.SIGKILL && (fresh > 0 || killed.IsZero()) {
			killed = time.Now()
		}
		withstand := !killed.IsZero() && (time.Since(killed) > killLimit || time.Since(start) > grace+stormLimit)
		if len(alive) > 0 && withstand {
			return stillAlive(alive, nil)
		}
		if fresh > 0 && sig == syscall.SIGKILL {
			continue
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return stillAlive(alive, context.Cause(ctx))
		}
	}
}

func stillAlive(alive []process, cause error) error {
	pids := make([]int, len(alive))
	for i, p := range alive {
		pids[i] = p.pid
	}
	if cause == nil {
		return fmt.Errorf("end processes %v: still alive long after SIGKILL", pids)
	}
	return fmt.Errorf("end processes %v: %w", pids, cause)
}
