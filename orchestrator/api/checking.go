package api

import (
	"context"

	"boo/orchestrator"
)

// rowCheck is about how changes are judged before they are applied.
var rowCheck = call[applyIn, orchestrator.ApplyResult]{
	route: "POST /v1/check", changes: true,
	do: func(svc orchestrator.Service, ctx context.Context, in applyIn) (orchestrator.ApplyResult, error) {
		return svc.Check(ctx, in.Selector, in.Options)
	},
}

// Check implements [orchestrator.Checking].
func (c *Client) Check(ctx context.Context, sel orchestrator.ChangeSelector, opts orchestrator.ApplyOptions) (orchestrator.ApplyResult, error) {
	return rowCheck.on(ctx, c, applyIn{sel, opts})
}
