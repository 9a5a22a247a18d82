package pending

import (
	"context"
	"fmt"
	"slices"

	"boo/orchestrator"
)

// Undo implements [orchestrator.Pending]: it takes the newest apply or reject
// that was asked for in the checkout and is in force back, byte for byte, and
// its changes are pending again with those who made them. A path that is as it
// was before counts as taken back; any other edit made since is never
// overwritten: CodeConflict, with the result naming the paths, and nothing
// changed; so, too, where the branch it committed to has moved on. CodeNotFound
// if nothing is in force there.
func (e *Engine) Undo(ctx context.Context, req orchestrator.UndoRequest) (orchestrator.ApplyResult, error) {
	release, err := e.locks.Lock(ctx, lockName(req.Checkout.Dir), func() {})
	if err != nil {
		return orchestrator.ApplyResult{}, err
	}
	defer release()
	if err := e.settle(ctx, req.Checkout); err != nil {
		return orchestrator.ApplyResult{}, err
	}
	last, err := e.store.LastApply(ctx, req.Checkout.Dir)
	if orchestrator.CodeOf(err) == orchestrator.CodeNotFound && err != nil {
		return orchestrator.ApplyResult{}, orchestrator.Errorf(orchestrator.CodeNotFound, "no apply or reject is in force in %s: there is nothing to undo", req.Checkout.Dir).
			WithHint("boo pending ls")
	}
	if err != nil {
		return orchestrator.ApplyResult{}, err
	}
	if last.Kind == orchestrator.KindReject {
		return e.unreject(ctx, last, req.Waiting)
	}
	return e.undo(ctx, req.Checkout, last)
}

const undoing = "undo the last apply in"

func (e *Engine) undo(ctx context.Context, c orchestrator.Checkout, a orchestrator.Apply) (orchestrator.ApplyResult, error) {
	ctx, done := e.git.Hold(ctx, c)
	defer done()
	result := orchestrator.ApplyResult{ID: a.ID, Kind: a.Kind, Chat: a.Chat, Checkout: c.Dir, Ref: a.Landing.Ref, Commit: a.Landing.New}
	wt, err := e.store.Worktree(ctx, a.Chat)
	if err != nil {
		return result, err
	}
	t, err := openTree(string(c.Dir))
	if err != nil {
		return result, untouched(undoing, c.Dir, err)
	}
	defer t.close()
	landed, err := e.canUnland(ctx, c, a)
	if err != nil {
		return result, untouched(undoing, c.Dir, err)
	}
	moves, err := e.planUndo(ctx, t, c, a)
	if err != nil {
		return result, untouched(undoing, c.Dir, err)
	}
	if result.Conflict = refusals(moves); len(result.Conflict) > 0 {
		return result, collision(undoing, c.Dir, result.Conflict, len(moves), "git -C "+string(c.Dir)+" diff")
	}
	r := &reversal{engine: e, apply: a, common: c.CommonDir, from: wt.Baseline}
	if err := r.read(ctx); err != nil {
		return result, untouched(undoing, c.Dir, err)
	}
	for _, m := range moves {
		m.row = r.applied[m.Change]
	}
	result.Files = files(moves)
	j := &journal{Apply: e.record(wt, c), checkout: c, moves: moves, tree: t}
	j.Undoing, j.Landing = true, landed.Reversed()
	result.Conflict, err = e.run(ctx, j, undoing, work{
		baseline: r.restored,
		fill:     func() error { return e.stageBefore(ctx, j) },
		commit:   func(ctx context.Context) error { return r.commit(ctx, j.NewBaseline) },
	})
	if err != nil {
		result.Files = nil
		return result, err
	}
	result.State = orchestrator.ApplyUndone
	return result, nil
}

// planUndo turns an apply's steps round. What is there now must be what the
// apply left.
func (e *Engine) planUndo(ctx context.Context, t *tree, c orchestrator.Checkout, a orchestrator.Apply) ([]*move, error) {
	moves := make([]*move, len(a.Steps))
	for i, st := range a.Steps {
		moves[i] = &move{ApplyStep: orchestrator.ApplyStep{
			Path: st.Path, Change: st.Change, Base: st.Base, Agent: st.Agent, After: st.Before, AfterRaw: st.BeforeRaw,
		}}
	}
	if a.Landing.Elsewhere {
		return moves, nil
	}
	left := make(map[orchestrator.Path]orchestrator.ApplyStep, len(a.Steps))
	for _, st := range a.Steps {
		left[st.Path] = st
	}
	hint := func(m *move) orchestrator.Entry { return left[m.Path].After }
	s := newSurvey(t, len(a.OldBaseline))
	if err := e.inspect(ctx, s, c, moves, hint); err != nil {
		return nil, err
	}
	for _, m := range moves {
		was := left[m.Path]
		if m.refused = m.at.forbids(m.After.Exists()); m.refused == "" && m.Before != was.After && !back(m) {
			m.refused = "it was changed since"
		}
		m.already = !m.writes()
		if m.already { // it was so all along, or the person has put it back
			m.AfterRaw = m.BeforeRaw
		}
		if !m.After.Exists() {
			m.Dirs = was.Dirs // made by the apply, and to go with the file
		}
	}
	return moves, makeRoom(s, moves)
}

// back reports whether the path is again what it was before the apply, byte for
// byte.
func back(m *move) bool {
	return m.Before == m.After && m.BeforeRaw == m.AfterRaw && (m.Before.Exists() || m.at.kind == nothing)
}

// undone reports whether the undo that a record speaks of was committed: its
// changes are then reverted, which nothing else makes them.
func (e *Engine) undone(ctx context.Context, a orchestrator.Apply) (bool, error) {
	rows, err := e.store.Changes(ctx, orchestrator.ChangeQuery{Chat: a.Chat, States: []orchestrator.ChangeState{orchestrator.ChangeReverted}})
	if err != nil {
		return false, fmt.Errorf("list reverted changes: %w", err)
	}
	return slices.ContainsFunc(rows, func(r orchestrator.Change) bool { return len(a.Steps) > 0 && r.ID == a.Steps[0].Change }), nil
}
