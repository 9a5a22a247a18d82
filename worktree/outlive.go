package worktree

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
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
// beside the index, its lock included. ref, which may be "", is a branch or HEAD that
// was to be moved to a commit that boo had just made: nobody else moves it there, so
// a lock that says so is a dead git's, and is removed too.
func (e *Engine) Landed(ctx context.Context, c orchestrator.Checkout, ref string, made orchestrator.ObjectID) error {
	dir, err := lastLanding(ctx, c)
	if err != nil {
		return coded(err, "wait for git in %s", c.Dir)
	}
	defer dir.Close()
	if err := dropCopies(indexOf(c)); err != nil {
		return coded(err, "tidy up beside the index of %s", c.Dir)
	}
	return coded(dropLock(c, ref, made), "remove the lock of %s", ref)
}

// dropLock removes the lock of a ref if it holds just that commit.
func dropLock(c orchestrator.Checkout, ref string, made orchestrator.ObjectID) error {
	if ref == "" || made == "" {
		return nil
	}
	dir := c.CommonDir
	if ref == "HEAD" {
		dir = c.GitDir
	}
	lock := filepath.Join(string(dir), ref+".lock")
	f, err := os.OpenFile(lock, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil // none, or none of git's
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, int64(len(made))+2))
	if err != nil || string(content) != string(made)+"\n" {
		return nil
	}
	return os.Remove(lock)
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
