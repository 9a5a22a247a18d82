package pending

import (
	"context"
	"fmt"

	"boo/orchestrator"
)

const unrejecting = "undo the last reject in"

// unreject takes a reject back, once no turn of the chat runs.
func (e *Engine) unreject(ctx context.Context, a orchestrator.Apply, waiting func()) (orchestrator.ApplyResult, error) {
	result := orchestrator.ApplyResult{ID: a.ID, Kind: a.Kind, Chat: a.Chat, Checkout: a.Checkout}
	if waiting == nil {
		waiting = func() {}
	}
	release, err := e.locks.Lock(ctx, orchestrator.ChatLock(a.Chat), waiting)
	if err != nil {
		return result, err
	}
	defer release()
	wt, err := e.store.Worktree(ctx, a.Chat)
	if err != nil {
		return result, err
	}
	c := inside(wt)
	if err := e.settle(ctx, c); err != nil {
		return result, err
	}
	if wt, err = e.catchUp(ctx, a.Chat); err != nil {
		return result, untouched(unrejecting, c.Dir, err)
	}
	ctx, done := e.git.Hold(ctx, c)
	defer done()
	t, err := openTree(string(c.Dir))
	if err != nil {
		return result, untouched(unrejecting, c.Dir, err)
	}
	defer t.close()
	moves, err := e.planUndo(ctx, t, c, a)
	if err != nil {
		return result, untouched(unrejecting, c.Dir, err)
	}
	if result.Conflict = refusals(moves); len(result.Conflict) > 0 {
		return result, collision(unrejecting, c.Dir, result.Conflict, len(moves), "boo pending diff")
	}
	rejected, err := e.rejectedBy(ctx, a)
	if err != nil {
		return result, untouched(unrejecting, c.Dir, err)
	}
	for _, m := range moves {
		m.row = rejected[m.Path]
	}
	result.Files = files(moves)
	j := &journal{Apply: e.record(wt, c), checkout: c, moves: moves, tree: t}
	j.Kind, j.Origin, j.Undoing = orchestrator.KindReject, a.Origin, true
	result.Conflict, err = e.run(ctx, j, unrejecting, work{
		fill: func() error { return e.stageBefore(ctx, j) },
		commit: func(ctx context.Context) error {
			return e.recorded(ctx, wt, fmt.Sprintf("boo: undo reject %s of chat %s\n\nBoo-Undo: %s\n", a.ID, j.Chat, a.ID), func(d orchestrator.ChangeDelta) error {
				return e.store.CommitUnreject(ctx, a, creditedAgain(d, rejected))
			})
		},
	})
	if err != nil {
		result.Files = nil
		return result, err
	}
	result.State = orchestrator.ApplyUndone
	return result, nil
}

func (e *Engine) rejectedBy(ctx context.Context, a orchestrator.Apply) (map[orchestrator.Path]orchestrator.Change, error) {
	rows, err := e.store.Changes(ctx, orchestrator.ChangeQuery{Chat: a.Chat, States: []orchestrator.ChangeState{orchestrator.ChangeRejected}})
	if err != nil {
		return nil, fmt.Errorf("list rejected changes: %w", err)
	}
	by := map[orchestrator.Path]orchestrator.Change{}
	for _, r := range rows {
		if r.AppliedBy == a.ID {
			by[r.Path] = r
		}
	}
	return by, nil
}

// creditedAgain gives rows that are pending again those who made them.
func creditedAgain(d orchestrator.ChangeDelta, rejected map[orchestrator.Path]orchestrator.Change) orchestrator.ChangeDelta {
	for i, row := range d.Insert {
		was, ok := rejected[row.Path]
		if !ok {
			continue
		}
		d.Insert[i].Contributors = credit(credit(nil, was.Contributors...), row.Contributors...)
		if row.Turn == "" {
			d.Insert[i].Turn = was.Turn
		}
	}
	return d
}
