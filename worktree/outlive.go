package worktree

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
)

// A git that changes the person's index or branch may outlive the boo that
// started it. So it holds an flock(2) on the git directory to its own end, and
// who takes back what a dead boo began waits for that first.

// alone runs such a git, after the one before.
func (e *Engine) alone(ctx context.Context, c orchestrator.Checkout, call gitcmd.Call) error {
	dir, err := lastLanding(ctx, c)
	if err != nil {
		return err
	}
	defer dir.Close()
	call.Held = dir
	_, err = e.git.Run(ctx, call)
	return err
}

// Landed waits until no git runs any more that a boo, dead or alive, had start
// to change the checkout's index or a branch, and removes what a dead one left
// beside the index, its lock included.
func (e *Engine) Landed(ctx context.Context, c orchestrator.Checkout) error {
	dir, err := lastLanding(ctx, c)
	if err != nil {
		return coded(err, "wait for git in %s", c.Dir)
	}
	defer dir.Close()
	return coded(dropCopies(indexOf(c)), "tidy up beside the index of %s", c.Dir)
}

// lastLanding opens the git directory and locks it. The lock ends when the last
// process that holds the file has ended or closed it.
func lastLanding(ctx context.Context, c orchestrator.Checkout) (*os.File, error) {
	dir, err := os.Open(string(c.GitDir))
	if err != nil {
		return nil, err
	}
	for {
		// Where there is no flock, nothing is waited for.
		if err := flock(dir); !errors.Is(err, syscall.EWOULDBLOCK) {
			return dir, nil
		}
		select {
		case <-ctx.Done():
			_ = dir.Close() // was only read
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
