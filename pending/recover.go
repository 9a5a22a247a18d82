package pending

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"boo/orchestrator"
)

// Recover implements [orchestrator.Pending]: every apply and undo that was cut
// off, and that nobody is at, is settled. One that had not been committed is
// taken back (rolled_back); one that had been is tidied up after. Where a
// checkout cannot be reached now, its record stays as it is and is tried again
// next time; the next apply there says why it cannot.
func (e *Engine) Recover(ctx context.Context) ([]orchestrator.ApplyResult, error) {
	records, err := e.store.Applies(ctx, "", orchestrator.ApplyPrepared, orchestrator.ApplyApplied)
	if err != nil {
		return nil, fmt.Errorf("list applies: %w", err)
	}
	var done []orchestrator.ApplyResult
	for _, c := range checkouts(records) {
		release, free, err := e.locks.TryLock(lockName(c.Dir))
		if err != nil {
			return done, err
		}
		if !free {
			continue
		}
		results, err := e.settled(ctx, c)
		release()
		done = append(done, results...)
		if err != nil && ctx.Err() != nil {
			return done, err
		}
	}
	return done, nil
}

// checkouts lists those where something is left to settle.
func checkouts(records []orchestrator.Apply) []orchestrator.Checkout {
	var list []orchestrator.Checkout
	seen := map[orchestrator.CheckoutDir]bool{}
	for _, a := range records {
		if seen[a.Checkout] {
			continue
		}
		if _, err := os.Lstat(a.StageDir); a.State == orchestrator.ApplyPrepared || err == nil {
			seen[a.Checkout] = true
			list = append(list, orchestrator.Checkout{Dir: a.Checkout, GitDir: a.GitDir, CommonDir: a.CommonDir})
		}
	}
	return list
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
	records, err := e.store.Applies(ctx, c.Dir, orchestrator.ApplyPrepared, orchestrator.ApplyApplied)
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
	sweep(c, open)
	return done, errors.Join(errs...)
}

// settleOne returns nil if there was nothing to do.
func (e *Engine) settleOne(ctx context.Context, a orchestrator.Apply) (*orchestrator.ApplyResult, error) {
	result := &orchestrator.ApplyResult{ID: a.ID, Chat: a.Chat, Checkout: a.Checkout}
	if a.State == orchestrator.ApplyApplied {
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
	return removeStage(a)
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
