package pending

import (
	"context"
	"fmt"

	"boo/orchestrator"
)

// reversal works out what taking an apply back does to the chat: which paths of
// the baseline go back, and which changes are pending again.
type reversal struct {
	engine   *Engine
	apply    orchestrator.Apply
	common   orchestrator.GitDir
	from     orchestrator.ObjectID                         // the baseline as it is
	applied  map[orchestrator.ChangeID]orchestrator.Change // rows of the apply
	restored map[orchestrator.Path]orchestrator.Entry      // what the baseline takes back
	steps    map[orchestrator.Path]orchestrator.ApplyStep  // of the restored paths
}

// read finds the rows, and the paths where the baseline still has what the
// apply gave it. Where a later apply, in another checkout, has moved it on, it
// stays.
func (r *reversal) read(ctx context.Context) error {
	rows, err := r.engine.store.Changes(ctx, orchestrator.ChangeQuery{
		Chat: r.apply.Chat, States: []orchestrator.ChangeState{orchestrator.ChangeApplied},
	})
	if err != nil {
		return fmt.Errorf("list applied changes: %w", err)
	}
	r.applied = make(map[orchestrator.ChangeID]orchestrator.Change, len(rows))
	for _, row := range rows {
		r.applied[row.ID] = row
	}
	moved, err := r.engine.git.Diff(ctx, r.common, r.apply.NewBaseline, r.from)
	if err != nil {
		return fmt.Errorf("compare baselines: %w", err)
	}
	now := make(map[orchestrator.Path]bool, len(moved))
	for _, c := range moved {
		now[c.Path] = true
	}
	r.restored = map[orchestrator.Path]orchestrator.Entry{}
	r.steps = map[orchestrator.Path]orchestrator.ApplyStep{}
	for _, st := range r.apply.Steps {
		if !now[st.Path] {
			r.restored[st.Path] = st.Base
			r.steps[st.Path] = st
		}
	}
	return nil
}

// commit stores the undo. A turn that ends in the same moment changes the rows
// under it; the delta is then computed again.
func (r *reversal) commit(ctx context.Context, baseline orchestrator.ObjectID) error {
	const attempts = 5
	var err error
	for range attempts {
		var delta orchestrator.ChangeDelta
		if delta, err = r.delta(ctx, baseline); err != nil {
			return err
		}
		err = r.engine.store.CommitUndo(ctx, r.apply, r.from, baseline, delta)
		if err == nil || orchestrator.CodeOf(err) != orchestrator.CodeConflict {
			return err
		}
		wt, lookErr := r.engine.store.Worktree(ctx, r.apply.Chat)
		if lookErr != nil || wt.Baseline != r.from {
			return err
		}
	}
	return err
}

// delta makes the restored paths pending again, measured from where the
// baseline goes back to. Where the chat has gone on since, the newest content
// counts, and all who had a part in it.
func (r *reversal) delta(ctx context.Context, baseline orchestrator.ObjectID) (orchestrator.ChangeDelta, error) {
	rows, err := r.engine.pendingRows(ctx, r.apply.Chat)
	if err != nil {
		return orchestrator.ChangeDelta{}, err
	}
	pending := byPath(rows)
	newest := make(map[orchestrator.Path]orchestrator.Entry, len(r.steps))
	for _, st := range r.steps {
		newest[st.Path] = st.Agent
		if row, ok := pending[st.Path]; ok {
			newest[st.Path] = row.New
		}
	}
	diff, err := r.engine.between(ctx, r.common, r.restored, newest)
	if err != nil {
		return orchestrator.ChangeDelta{}, err
	}
	delta := orchestrator.ChangeDelta{Chat: r.apply.Chat, Baseline: baseline, Retire: map[orchestrator.ChangeID]orchestrator.ChangeID{}}
	differs := make(map[orchestrator.Path]orchestrator.ChangeID, len(diff))
	for _, d := range diff {
		row := r.again(d, pending[d.Path])
		differs[d.Path] = row.ID
		delta.Insert = append(delta.Insert, row)
	}
	for _, st := range r.steps {
		if row, ok := pending[st.Path]; ok {
			delta.Retire[row.ID] = differs[st.Path]
		}
	}
	return delta, nil
}

// again is the row of a path that is pending again; since is the row that was
// pending since the apply, if there is one.
func (r *reversal) again(d orchestrator.FileChange, since orchestrator.Change) orchestrator.Change {
	row := orchestrator.Change{
		ID: orchestrator.NewChangeID(), Chat: r.apply.Chat, FileChange: d,
		State: orchestrator.ChangePending, Turn: since.Turn, CreatedAt: r.engine.now(),
	}
	was := r.applied[r.steps[d.Path].Change]
	if row.Turn == "" {
		row.Turn = was.Turn
	}
	row.Contributors = credit(credit(nil, was.Contributors...), since.Contributors...)
	return row
}

// between compares two sets of entries, at the cost of these paths alone.
func (e *Engine) between(ctx context.Context, common orchestrator.GitDir, from, to map[orchestrator.Path]orchestrator.Entry) ([]orchestrator.FileChange, error) {
	var trees [2]orchestrator.ObjectID
	for i, entries := range []map[orchestrator.Path]orchestrator.Entry{from, to} {
		there := make(map[orchestrator.Path]orchestrator.Entry, len(entries))
		for p, entry := range entries {
			if entry.Exists() {
				there[p] = entry
			}
		}
		var err error
		if trees[i], err = e.git.Overlay(ctx, common, "", there); err != nil {
			return nil, fmt.Errorf("write tree of the changes: %w", err)
		}
	}
	diff, err := e.git.Diff(ctx, common, trees[0], trees[1])
	if err != nil {
		return nil, fmt.Errorf("compare the changes: %w", err)
	}
	return diff, nil
}
