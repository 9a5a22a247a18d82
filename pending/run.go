package pending

import (
	"context"
	"errors"
	"fmt"

	"boo/orchestrator"
)

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
	kept, back := e.takeBack(settled, j.Apply)
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
	// The disk takes the files while they are verified and the objects made.
	synced := make(chan error, 1)
	go func() { synced <- j.stage.sync(j.moves) }()
	err = e.verified(ctx, j, w.baseline)
	if syncErr := <-synced; syncErr != nil {
		err = errors.Join(err, fmt.Errorf("stage: %w", syncErr))
	}
	if err != nil {
		return err
	}
	e.mark("record")
	if err := e.store.PutApply(ctx, j.Apply); err != nil {
		return fmt.Errorf("record the apply: %w", err)
	}
	return nil
}

func (e *Engine) verified(ctx context.Context, j *journal, baseline map[orchestrator.Path]orchestrator.Entry) error {
	if err := j.stage.verify(j.moves, idWidth(j.moves)); err != nil {
		return err
	}
	e.mark("prepare")
	return e.prepare(ctx, j, baseline)
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
	e.mark("land")
	if err := e.land(ctx, j); err != nil {
		return err
	}
	if j.Kind == orchestrator.KindReject {
		e.mark("commit")
		return w.commit(ctx)
	}
	e.mark("baseline")
	if err := e.git.MoveRef(ctx, j.CommonDir, baselineRef(j.Chat), j.OldBaseline, j.NewBaseline); err != nil {
		return fmt.Errorf("move the baseline: %w", err)
	}
	e.mark("commit")
	return w.commit(ctx)
}
