package api

import (
	"context"

	"boo/orchestrator"
)

// The rows about what a repository may run.
var (
	rowApprovals = call[dirIn, []orchestrator.CommandSet]{
		route: "POST /v1/approvals",
		do: func(svc orchestrator.Service, ctx context.Context, in dirIn) ([]orchestrator.CommandSet, error) {
			return svc.Approvals(ctx, in.Dir)
		},
	}
	rowApprove = call[approveIn, none]{
		route: "POST /v1/approve", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, in approveIn) (none, error) {
			return none{}, svc.Approve(ctx, in.Dir, in.Sets)
		},
	}
	rowRevoke = call[dirIn, int]{
		route: "POST /v1/revoke", changes: true,
		do: func(svc orchestrator.Service, ctx context.Context, in dirIn) (int, error) {
			return svc.Revoke(ctx, in.Dir)
		},
	}
)

type dirIn struct{ Dir string }

type approveIn struct {
	Dir  string
	Sets []orchestrator.CommandSet
}

// Approvals implements [orchestrator.Approving].
func (c *Client) Approvals(ctx context.Context, dir string) ([]orchestrator.CommandSet, error) {
	return rowApprovals.on(ctx, c, dirIn{dir})
}

// Approve implements [orchestrator.Approving].
func (c *Client) Approve(ctx context.Context, dir string, sets []orchestrator.CommandSet) error {
	_, err := rowApprove.on(ctx, c, approveIn{dir, sets})
	return err
}

// Revoke implements [orchestrator.Approving].
func (c *Client) Revoke(ctx context.Context, dir string) (int, error) {
	return rowRevoke.on(ctx, c, dirIn{dir})
}
