package pending

import (
	"context"
	"errors"
	"fmt"

	"boo/orchestrator"
)

// Apply implements [orchestrator.Pending]: it writes the changes into the
// checkout as uncommitted edits. When it returns nil, the files, the moved
// baseline and the record are on disk; when it returns an error, nothing in the
// checkout has changed. CodeConflict, with the result naming every path and its
// reason, where the changes collide with the person's files or are of a kind
// that must never be written; CodeConflict, too, if somebody edits one of the
// files in the same moment. It waits while another apply writes there.
func (e *Engine) Apply(ctx context.Context, req orchestrator.ApplyRequest) (orchestrator.ApplyResult, error) {
	if len(req.Changes) == 0 {
		return orchestrator.ApplyResult{}, orchestrator.Errorf(orchestrator.CodeInvalid, "nothing to apply").WithHint("boo pending ls")
	}
	release, err := e.locks.Lock(ctx, lockName(req.Checkout.Dir), func() {})
	if err != nil {
		return orchestrator.ApplyResult{}, err
	}
	defer release()
	if err := e.settle(ctx, req.Checkout); err != nil {
		return orchestrator.ApplyResult{}, err
	}
	result, err := e.apply(ctx, req)
	if err != nil && orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		result.Conflict = nil
	}
	return result, err
}

const applying = "apply to"

func (e *Engine) apply(ctx context.Context, req orchestrator.ApplyRequest) (orchestrator.ApplyResult, error) {
	result := orchestrator.ApplyResult{Chat: req.Worktree.Chat, Checkout: req.Checkout.Dir}
	wt, err := e.store.Worktree(ctx, req.Worktree.Chat)
	if err != nil {
		return result, err
	}
	rows, err := e.fresh(ctx, req)
	if err != nil {
		return result, err
	}
	if result.Conflict, err = hostile(rows, e.target(ctx, req.Checkout.CommonDir)); err != nil {
		return result, untouched(applying, req.Checkout.Dir, err)
	}
	if len(result.Conflict) > 0 {
		return result, collision(applying, req.Checkout.Dir, result.Conflict, len(rows), othersHint(result.Conflict, rows))
	}
	t, err := openTree(string(req.Checkout.Dir))
	if err != nil {
		return result, untouched(applying, req.Checkout.Dir, err)
	}
	defer t.close()
	moves, err := e.plan(ctx, t, req.Checkout, rows)
	if err != nil {
		return result, untouched(applying, req.Checkout.Dir, err)
	}
	if result.Conflict = refusals(moves); len(result.Conflict) > 0 {
		return result, collision(applying, req.Checkout.Dir, result.Conflict, len(rows), othersHint(result.Conflict, rows))
	}
	result.Files = files(moves)
	j := &journal{Apply: e.record(wt, req.Checkout), checkout: req.Checkout, moves: moves, tree: t}
	baseline := map[orchestrator.Path]orchestrator.Entry{}
	for _, m := range moves {
		baseline[m.Path] = m.Agent
	}
	result.Conflict, err = e.run(ctx, j, applying, work{
		baseline: baseline,
		fill:     func() error { return e.materialize(ctx, j) },
		commit:   func(ctx context.Context) error { return e.store.CommitApply(ctx, j.Apply) },
	})
	if err != nil {
		result.Files = nil
		return result, err
	}
	result.ID, result.State = j.ID, orchestrator.ApplyApplied
	return result, nil
}

// fresh reads the rows again: what was shown may have been superseded since.
func (e *Engine) fresh(ctx context.Context, req orchestrator.ApplyRequest) ([]orchestrator.Change, error) {
	rows, err := e.pendingRows(ctx, req.Worktree.Chat)
	if err != nil {
		return nil, err
	}
	now := make(map[orchestrator.ChangeID]orchestrator.Change, len(rows))
	for _, r := range rows {
		now[r.ID] = r
	}
	chosen := make([]orchestrator.Change, 0, len(req.Changes))
	seen := map[orchestrator.ChangeID]bool{}
	for _, c := range req.Changes {
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
		ID: orchestrator.NewApplyID(), Chat: wt.Chat, Checkout: c.Dir, GitDir: c.GitDir, CommonDir: c.CommonDir,
		State: orchestrator.ApplyPrepared, OldBaseline: wt.Baseline, CreatedAt: e.now(),
	}
}

func files(moves []*move) []orchestrator.AppliedFile {
	list := make([]orchestrator.AppliedFile, 0, len(moves))
	for _, m := range moves {
		list = append(list, orchestrator.AppliedFile{Change: m.row.ID, FileStat: m.row.Stat(), Merged: m.merged, Already: !m.writes()})
	}
	return list
}

func othersHint(conflicts []orchestrator.PathConflict, rows []orchestrator.Change) string {
	if len(conflicts) < len(rows) {
		return "boo pending apply PATH…   (the paths that do not collide)"
	}
	return "boo pending diff"
}

// work is what an apply and an undo do differently.
type work struct {
	baseline map[orchestrator.Path]orchestrator.Entry // what the baseline takes
	fill     func() error                             // writes the staged files
	commit   func(context.Context) error              // makes the record count
}

// run takes a planned journal through: stage, verify, record, swap, read back,
// commit. On any error everything is taken back before it returns.
func (e *Engine) run(ctx context.Context, j *journal, what string, w work) ([]orchestrator.PathConflict, error) {
	inOrder(j.moves)
	if err := e.ready(ctx, j, w); err != nil {
		return nil, untouched(what, j.Checkout, err)
	}
	defer j.stage.close()
	// From here on a cancelled context stops between two steps only, and what
	// has to be finished or taken back is.
	settled := context.WithoutCancel(ctx)
	err := e.carryOut(settled, j, w, ctx.Err)
	if err == nil {
		e.mark("tidy")
		// What this cannot do now, the next settling does.
		_ = e.conclude(settled, j.Apply)
		return nil, nil
	}
	kept, back := e.restoreFiles(j.Apply)
	if back != nil {
		return nil, stuck(what, j.Checkout, err, back)
	}
	// A record that cannot be closed now, on a full disk say, is closed by the
	// next command: the files are as they were.
	_ = e.closeBack(settled, j.Apply, kept)
	if len(kept) > 0 {
		return kept, collision(what, j.Checkout, kept, len(j.moves), "boo pending ls")
	}
	return nil, untouched(what, j.Checkout, err)
}

// ready stages and records. On error no trace is left.
func (e *Engine) ready(ctx context.Context, j *journal, w work) (err error) {
	e.mark("stage")
	j.stage, err = makeStage(j.ID, j.checkout, j.tree.dev)
	if err != nil {
		return err
	}
	j.StageDir = j.stage.path
	defer func() {
		if err != nil {
			j.stage.close()
			err = errors.Join(err, removeStage(j.Apply))
		}
	}()
	if err := w.fill(); err != nil {
		return fmt.Errorf("stage: %w", err)
	}
	if err := j.stage.verify(j.moves, idWidth(j.moves)); err != nil {
		return err
	}
	e.mark("prepare")
	return e.prepare(ctx, j, w.baseline)
}

func (e *Engine) carryOut(ctx context.Context, j *journal, w work, stop func() error) error {
	e.mark("hold")
	if err := e.hold(ctx, j.Apply); err != nil {
		return fmt.Errorf("hold your files: %w", err)
	}
	if err := e.swap(j, stop); err != nil {
		return err
	}
	e.mark("read back")
	if err := e.readBack(ctx, j); err != nil {
		return err
	}
	if err := stop(); err != nil {
		return err
	}
	e.mark("baseline")
	if err := e.git.MoveRef(ctx, j.CommonDir, baselineRef(j.Chat), j.OldBaseline, j.NewBaseline); err != nil {
		return fmt.Errorf("move the baseline: %w", err)
	}
	e.mark("commit")
	return w.commit(ctx)
}
