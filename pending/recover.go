package pending

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"boo/orchestrator"
)

// Recover implements [orchestrator.Pending]: every apply and undo that was cut
// off, and that nobody is at, is settled. One that had not been committed is
// taken back (rolled_back); one that had been is tidied up after. Where a
// checkout cannot be reached now, its record stays as it is and is tried again
// next time; the next apply there says why it cannot.
func (e *Engine) Recover(ctx context.Context) ([]orchestrator.ApplyResult, error) {
	records, err := e.store.Uncleared(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("list applies: %w", err)
	}
	var done []orchestrator.ApplyResult
	for _, p := range e.places(ctx, records) {
		release, free, err := e.locks.TryLock(p.lock)
		if err == nil && !free && p.begun {
			release, free, err = e.lockOfDying(ctx, p.lock)
		}
		if err != nil {
			return done, err
		}
		if !free {
			continue
		}
		results, err := e.settled(ctx, p.Checkout)
		release()
		done = append(done, results...)
		if err != nil && ctx.Err() != nil {
			return done, err
		}
	}
	return done, nil
}

// dyingTime is how long a killed process may take to let go of its locks: a
// child that it was just starting holds them until it has started.
const dyingTime = 3 * time.Second

// lockOfDying waits for a lock that a killed process may hold still. Who is alive
// and at work may hold it for longer.
func (e *Engine) lockOfDying(ctx context.Context, name string) (release func(), free bool, err error) {
	dying, cancel := context.WithTimeout(ctx, dyingTime)
	defer cancel()
	release, err = e.locks.Lock(dying, name, func() {})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, false, nil
	}
	return release, err == nil, err
}

// writingPlace is a checkout, or a chat's worktree, where something is left to
// settle, and the lock that keeps others from writing there. begun is set where
// an apply, undo or reject has begun, and does not count yet.
type writingPlace struct {
	orchestrator.Checkout
	lock  string
	begun bool
}

// places lists them. Records that nothing is left of are cleared on the way.
func (e *Engine) places(ctx context.Context, records []orchestrator.Apply) []writingPlace {
	var list []writingPlace
	at := map[orchestrator.CheckoutDir]int{}
	for _, a := range records {
		if _, err := os.Lstat(a.StageDir); a.State != orchestrator.ApplyPrepared && errors.Is(err, fs.ErrNotExist) {
			e.cleared(ctx, a)
			continue
		}
		i, seen := at[a.Checkout]
		if !seen {
			i = len(list)
			at[a.Checkout] = i
			list = append(list, writingPlace{Checkout: orchestrator.Checkout{Dir: a.Checkout, GitDir: a.GitDir, CommonDir: a.CommonDir}, lock: lockOf(a)})
		}
		list[i].begun = list[i].begun || a.State == orchestrator.ApplyPrepared
	}
	return list
}

// Settle implements [orchestrator.Pending].
func (e *Engine) Settle(ctx context.Context, wt orchestrator.Worktree) error {
	return e.settle(ctx, inside(wt))
}

// settle makes sure that nothing is left of an earlier apply in the checkout
// before another begins. The caller holds the checkout's lock.
func (e *Engine) settle(ctx context.Context, c orchestrator.Checkout) error {
	_, err := e.settled(ctx, c)
	if err != nil {
		return orchestrator.Errorf(codeOf(err), "an earlier apply to %s was cut off and cannot be taken back: %w", c.Dir, err).
			WithHint("ls -la %s", c.Dir)
	}
	return nil
}

func (e *Engine) settled(ctx context.Context, c orchestrator.Checkout) ([]orchestrator.ApplyResult, error) {
	records, err := e.store.Uncleared(ctx, c.Dir)
	if err != nil {
		return nil, fmt.Errorf("list applies: %w", err)
	}
	var done []orchestrator.ApplyResult
	var errs []error
	open := map[orchestrator.ApplyID]bool{}
	for _, a := range records {
		r, err := e.settleOne(ctx, a)
		if err != nil {
			errs = append(errs, err)
			open[a.ID] = true
		}
		if r != nil {
			done = append(done, *r)
		}
	}
	sweep(c, records, open)
	for _, a := range records {
		if !open[a.ID] {
			e.cleared(ctx, a)
		}
	}
	return done, errors.Join(errs...)
}

// settleOne returns nil if there was nothing to do.
func (e *Engine) settleOne(ctx context.Context, a orchestrator.Apply) (*orchestrator.ApplyResult, error) {
	result := &orchestrator.ApplyResult{ID: a.ID, Kind: a.Kind, Undoing: a.Undoing, Chat: a.Chat, Checkout: a.Checkout}
	switch a.State {
	case orchestrator.ApplyUndone, orchestrator.ApplyRolledBack:
		return nil, nil //nolint:nilnil // what is left of its stage is swept
	case orchestrator.ApplyApplied:
		if _, err := os.Lstat(a.StageDir); err != nil {
			return nil, nil //nolint:nilnil // see above
		}
		result.State = orchestrator.ApplyApplied
		return result, e.conclude(ctx, a)
	}
	if a.Undoing {
		committed, err := e.undone(ctx, a)
		if err != nil {
			return nil, err
		}
		if committed {
			result.State = orchestrator.ApplyUndone
			return result, e.conclude(ctx, a)
		}
	}
	kept, err := e.rollBack(ctx, a)
	if err != nil {
		return nil, err
	}
	result.State, result.Conflict = orchestrator.ApplyRolledBack, kept
	return result, nil
}

// conclude does what is left after a record counts: the record of an undo is
// closed, directories that were left empty go, as git lets them go, and so does
// the stage. It may be cut off and run again.
func (e *Engine) conclude(ctx context.Context, a orchestrator.Apply) error {
	if err := e.tidy(a); err != nil {
		return err
	}
	if a.Undoing {
		if err := e.store.MoveApply(ctx, a.ID, orchestrator.ApplyPrepared, orchestrator.ApplyUndone); err != nil {
			return fmt.Errorf("close the record of the undo: %w", err)
		}
	}
	e.mark("clear")
	if err := letGo(a); err != nil {
		return err
	}
	e.cleared(ctx, a)
	return nil
}

// tidy removes the directories that the removal of files left empty: after an
// undo only those that the apply had made.
func (e *Engine) tidy(a orchestrator.Apply) error {
	t, err := openTree(string(a.Checkout))
	if err != nil {
		return err
	}
	defer t.close()
	for _, st := range slices.Backward(a.Steps) {
		if st.After.Exists() || !st.Before.Exists() {
			continue
		}
		dirs := st.Dirs
		if !a.Undoing {
			dirs = ancestors(st.Path)
		}
		removeEmpty(t, dirs)
	}
	return nil
}

func ancestors(p orchestrator.Path) []orchestrator.Path {
	var list []orchestrator.Path
	for end := range ends(p) {
		if end < len(p) {
			list = append(list, p[:end])
		}
	}
	return list
}
