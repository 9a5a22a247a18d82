package pending

import (
	"context"

	"boo/orchestrator"
)

// Apply implements [orchestrator.Pending]: it writes the changes into the
// checkout as uncommitted edits, or where the options say. When it returns nil,
// the files, the moved baseline and the record are on disk; when it returns an
// error, nothing in the checkout has changed, except that CodeConflict with a
// result in state applied says that files were written with conflict markers.
// CodeConflict, with the result naming every path and its reason, where the
// changes collide with the person's files or are of a kind that must not be
// written; CodeConflict, too, if somebody edits one of the files in the same
// moment. It waits while another apply writes there.
func (e *Engine) Apply(ctx context.Context, req orchestrator.ApplyRequest) (orchestrator.ApplyResult, error) {
	if len(req.Changes) == 0 {
		return orchestrator.ApplyResult{}, orchestrator.Errorf(orchestrator.CodeInvalid, "nothing to apply").WithHint("boo pending ls")
	}
	if err := sensible(req.Options); err != nil {
		return orchestrator.ApplyResult{}, err
	}
	release, err := e.locks.Lock(ctx, lockName(req.Checkout.Dir), func() {})
	if err != nil {
		return orchestrator.ApplyResult{}, err
	}
	defer release()
	if err := e.settle(ctx, req.Checkout); err != nil {
		return orchestrator.ApplyResult{}, err
	}
	held, done := e.git.Hold(ctx, req.Checkout)
	defer done()
	result, err := e.apply(held, req)
	if err != nil && orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		result.Conflict = nil
	}
	return result, err
}

// sensible refuses options that contradict each other.
func sensible(o orchestrator.ApplyOptions) error {
	ways := 0
	for _, asked := range []bool{o.Index, o.Commit != "", o.Branch != ""} {
		if asked {
			ways++
		}
	}
	if o.Branch != "" && o.Commit != "" {
		ways-- // the message of the commit on the new branch
	}
	switch {
	case ways > 1:
		return orchestrator.Errorf(orchestrator.CodeInvalid, "staging, committing and a new branch exclude each other")
	case ways > 0 && o.Markers:
		return orchestrator.Errorf(orchestrator.CodeInvalid, "conflict markers are only written as edits, neither staged nor committed")
	}
	return nil
}

const applying = "apply to"

func (e *Engine) apply(ctx context.Context, req orchestrator.ApplyRequest) (orchestrator.ApplyResult, error) {
	c, opts := req.Checkout, req.Options
	result := orchestrator.ApplyResult{Kind: orchestrator.KindApply, Chat: req.Worktree.Chat, Checkout: c.Dir}
	wt, err := e.store.Worktree(ctx, req.Worktree.Chat)
	if err != nil {
		return result, err
	}
	rows, err := e.fresh(ctx, wt.Chat, req.Changes)
	if err != nil {
		return result, err
	}
	parts, left, err := e.cut(ctx, wt, rows, opts.Agent, opts.Hunks)
	if err != nil {
		return result, untouched(applying, c.Dir, err)
	}
	if result.Left = left; len(parts) == 0 {
		return result, nil
	}
	rows = wanted(parts)
	if result.Conflict, err = hostile(rows, e.setting(ctx, c), opts.Allow); err != nil {
		return result, untouched(applying, c.Dir, err)
	}
	if len(result.Conflict) > 0 {
		return result, collision(applying, c.Dir, result.Conflict, len(rows), e.others(ctx, c, parts, opts, result.Conflict))
	}
	t, err := openTree(string(c.Dir))
	if err != nil {
		return result, untouched(applying, c.Dir, err)
	}
	defer t.close()
	moves, land, err := e.planAll(ctx, t, c, parts, opts)
	if err != nil {
		return result, untouched(applying, c.Dir, err)
	}
	if result.Conflict = refusals(moves); len(result.Conflict) > 0 {
		return result, collision(applying, c.Dir, result.Conflict, len(rows), e.others(ctx, c, parts, opts, result.Conflict))
	}
	if req.Outcome || req.Checked != "" {
		if err := e.foresee(ctx, req, moves, land, &result); err != nil {
			return result, err
		}
	}
	result.Files = files(moves)
	if opts.Check {
		return result, nil
	}
	return e.write(ctx, result, wt, &journal{Apply: e.record(wt, c), checkout: c, moves: moves, tree: t}, parts, land)
}

// planAll plans the files, and what happens beside them.
func (e *Engine) planAll(ctx context.Context, t *tree, c orchestrator.Checkout, parts []part, opts orchestrator.ApplyOptions) ([]*move, *landing, error) {
	if opts.Branch != "" {
		moves := movesOf(parts)
		land, err := e.planBranch(ctx, c, moves, opts)
		return moves, land, err
	}
	moves, err := e.planFiles(ctx, t, c, parts, opts.Markers)
	if err != nil {
		return nil, nil, err
	}
	if err := alike(t, moves, opts.Allow); err != nil {
		return nil, nil, err
	}
	land, err := e.planLanding(ctx, c, moves, opts)
	return moves, land, err
}

// write carries a plan out.
func (e *Engine) write(ctx context.Context, result orchestrator.ApplyResult, wt orchestrator.Worktree, j *journal, parts []part, land *landing) (orchestrator.ApplyResult, error) {
	rest, err := e.rest(ctx, wt, parts)
	if err == nil {
		err = e.seal(ctx, j, land, wanted(parts))
	}
	if err != nil {
		result.Files = nil
		return result, untouched(applying, j.Checkout, err)
	}
	baseline := map[orchestrator.Path]orchestrator.Entry{}
	for _, m := range j.moves {
		baseline[m.Path] = m.Agent
	}
	result.Conflict, err = e.run(ctx, j, applying, work{
		baseline: baseline,
		fill:     func() error { return e.materialize(ctx, j) },
		commit:   func(ctx context.Context) error { return e.store.CommitApply(ctx, j.Apply, rest) },
	})
	if err != nil {
		result.Files = nil
		return result, err
	}
	result.ID, result.State = j.ID, orchestrator.ApplyApplied
	result.Ref, result.Commit, result.Staged = j.Landing.Ref, j.Landing.New, len(j.Landing.Index) > 0
	return result, marked(j)
}

// marked is the error of an apply that left lines to be brought together.
func marked(j *journal) error {
	n := 0
	for _, m := range j.moves {
		if m.marked {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return orchestrator.Errorf(orchestrator.CodeConflict, "%d of %d files were written with conflict markers, for you to bring together", n, len(j.moves)).
		WithHint("git -C %s diff   (boo pending undo takes all of it back)", j.Checkout)
}

// fresh reads the rows again: what was shown may have been superseded since.
func (e *Engine) fresh(ctx context.Context, chat orchestrator.ChatID, changes []orchestrator.Change) ([]orchestrator.Change, error) {
	rows, err := e.pendingRows(ctx, chat)
	if err != nil {
		return nil, err
	}
	now := make(map[orchestrator.ChangeID]orchestrator.Change, len(rows))
	for _, r := range rows {
		now[r.ID] = r
	}
	chosen := make([]orchestrator.Change, 0, len(changes))
	seen := map[orchestrator.ChangeID]bool{}
	for _, c := range changes {
		r, ok := now[c.ID]
		if !ok {
			return nil, orchestrator.Errorf(orchestrator.CodeConflict, "%s (%s) is not pending any more; nothing was changed", c.ID, c.Path).
				WithHint("boo pending ls")
		}
		if !seen[r.ID] {
			seen[r.ID] = true
			chosen = append(chosen, r)
		}
	}
	return chosen, nil
}

func (e *Engine) record(wt orchestrator.Worktree, c orchestrator.Checkout) orchestrator.Apply {
	return orchestrator.Apply{
		ID: orchestrator.NewApplyID(), Kind: orchestrator.KindApply, Chat: wt.Chat, Checkout: c.Dir, Origin: c.Dir, GitDir: c.GitDir, CommonDir: c.CommonDir,
		State: orchestrator.ApplyPrepared, OldBaseline: wt.Baseline, CreatedAt: e.now(),
	}
}

func files(moves []*move) []orchestrator.AppliedFile {
	list := make([]orchestrator.AppliedFile, 0, len(moves))
	for _, m := range moves {
		list = append(list, orchestrator.AppliedFile{Change: m.row.ID, FileStat: m.row.Stat(), Merged: m.merged, Already: m.already, Part: m.part, Marked: m.marked})
	}
	return list
}
