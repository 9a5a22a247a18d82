package worktree

import (
	"context"
	"fmt"

	"boo/orchestrator"
)

// Furnish gives a worktree what its base does not hold and work in it needs:
// the contents of what is kept with Git LFS, the files of submodules, and the
// ignored files that the person's checkout names. What cannot be had is told in
// the warnings, and the worktree is none the worse for it. It may be called
// again: what is there is left alone. The caller holds the chat's lock.
func (e *Engine) Furnish(ctx context.Context, wt orchestrator.Worktree, req orchestrator.FurnishRequest) (warnings []string, err error) {
	c, err := e.Checkout(ctx, string(wt.Source))
	if err != nil || c.CommonDir != wt.CommonDir {
		return nil, ctx.Err() // the checkout is no more: nothing can come from there
	}
	pointers, err := e.contents(ctx, wt, req.Environ)
	warnings = append(e.unfiltered(ctx, wt), pointers...)
	if err != nil && ctx.Err() == nil {
		warnings = append(warnings, fmt.Sprintf("files that are kept with Git LFS may be pointers: %v", err))
	}
	empty, err := e.submodules(ctx, wt)
	warnings = append(warnings, empty...)
	if err != nil && ctx.Err() == nil {
		warnings = append(warnings, fmt.Sprintf("submodules are left empty: %v", err))
	}
	brought, err := e.include(ctx, wt, c, req.Include)
	warnings = append(warnings, brought...)
	if err != nil && ctx.Err() == nil {
		return append(warnings, fmt.Sprintf("files that %s names were not brought along: %v", includeFile, err)), nil
	}
	return warnings, err
}
