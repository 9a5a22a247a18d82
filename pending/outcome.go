package pending

import (
	"context"
	"fmt"

	"boo/orchestrator"
)

// foresee works out which tree an apply leaves, and holds it to the one that was
// checked. All of its objects are in the repository afterwards.
func (e *Engine) foresee(ctx context.Context, req orchestrator.ApplyRequest, moves []*move, land *landing, result *orchestrator.ApplyResult) error {
	if err := e.outcome(ctx, req.Checkout, moves, land, result); err != nil {
		return untouched(applying, req.Checkout.Dir, fmt.Errorf("work out what would come of it: %w", err))
	}
	if req.Checked != "" && result.Tree != req.Checked {
		return orchestrator.Errorf(orchestrator.CodeConflict, "%s is not as it was when the changes were checked; nothing was written", req.Checkout.Dir).
			WithHint("boo pending apply --require-checks   (checks what is there now)")
	}
	return nil
}

func (e *Engine) outcome(ctx context.Context, c orchestrator.Checkout, moves []*move, land *landing, result *orchestrator.ApplyResult) (err error) {
	entries := make(map[orchestrator.Path]orchestrator.Entry, len(moves))
	for _, m := range moves {
		entries[m.Path] = m.After
	}
	if land != nil && land.only {
		entries = land.entries
		// The tree of the commit, which is what a checkout's files are told by.
		result.Under, err = e.git.Overlay(ctx, c.CommonDir, land.parent, nil)
	} else {
		result.Under, result.Skipped, err = e.git.Files(ctx, c)
	}
	if err != nil {
		return err
	}
	if result.Tree, err = e.git.Overlay(ctx, c.CommonDir, result.Under, entries); err != nil {
		return err
	}
	return e.git.Flush(ctx)
}
