package pending

import (
	"context"
	"strings"

	"boo/orchestrator"
)

// canUnland returns what of the things that an apply did beside the files is
// still so, and has to be taken back; or says what to run instead.
func (e *Engine) canUnland(ctx context.Context, c orchestrator.Checkout, a orchestrator.Apply) (orchestrator.Landing, error) {
	l := a.Landing
	if l.Ref != "" {
		if err := e.canMoveBack(ctx, c, l); err != nil {
			return l, err
		}
	}
	var err error
	l.Index, err = e.stillStaged(ctx, c, l)
	return l, err
}

func (e *Engine) canMoveBack(ctx context.Context, c orchestrator.Checkout, l orchestrator.Landing) error {
	now, err := e.git.BranchAt(ctx, c, l.Ref)
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(l.Ref, "refs/heads/")
	if now != l.New {
		return orchestrator.Errorf(orchestrator.CodeConflict, "%s has moved on since the change was committed to it (%s)", name, l.New.Short()).
			WithHint("git revert %s", l.New.Short())
	}
	if head, err := e.git.BranchAt(ctx, c, "HEAD"); l.Elsewhere && err == nil && head == l.New {
		if ref, _, err := e.git.CheckedOut(ctx, c); err == nil && ref == l.Ref {
			return orchestrator.Errorf(orchestrator.CodeConflict, "you are on %s now", name).WithHint("git switch -   (and then: boo pending undo)")
		}
	}
	if !l.Elsewhere {
		if ref, _, err := e.git.CheckedOut(ctx, c); err != nil || ref != l.Ref {
			return orchestrator.Errorf(orchestrator.CodeConflict, "the change was committed to %s, and that is not what you have checked out", name).
				WithHint("git switch %s", name)
		}
	}
	return nil
}

// stillStaged lists the steps that the index shows. What is there as it was
// before, or what the person has un-staged, is as an undo would have it.
func (e *Engine) stillStaged(ctx context.Context, c orchestrator.Checkout, l orchestrator.Landing) ([]orchestrator.IndexStep, error) {
	if len(l.Index) == 0 {
		return nil, nil
	}
	now, err := e.stagedAt(ctx, c, l.Index)
	if err != nil {
		return nil, err
	}
	var still, other []orchestrator.IndexStep
	var paths []orchestrator.Path
	for _, s := range l.Index {
		switch now[s.Path] {
		case s.After:
			still = append(still, s)
		case s.Before:
		default:
			other, paths = append(other, s), append(paths, s.Path)
		}
	}
	if len(other) == 0 {
		return still, nil
	}
	committed := map[orchestrator.Path]orchestrator.Entry{}
	if l.Ref == "" { // else what is committed has the change too
		head, err := e.git.BranchAt(ctx, c, "HEAD")
		if err != nil {
			return nil, err
		}
		if committed, err = e.git.At(ctx, c.CommonDir, head, paths); err != nil {
			return nil, err
		}
	}
	for _, s := range other {
		if l.Ref != "" || committed[s.Path] != now[s.Path] {
			return nil, orchestrator.Errorf(orchestrator.CodeConflict, "you have staged something else for %s since", s.Path).
				WithHint("git -C %s diff --cached   (and to un-stage it: git restore --staged)", c.Dir)
		}
	}
	return still, nil
}
