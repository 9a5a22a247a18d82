package api

import (
	"context"

	"boo/orchestrator"
)

// The rows about the reaper.
var (
	rowSweep        = call[orchestrator.SweepRequest, orchestrator.Sweep]{route: "POST /v1/sweep", do: orchestrator.Service.Sweep, changes: true}
	rowReaperStatus = call[none, orchestrator.ReaperStatus]{
		route: "GET /v1/reaper",
		do: func(svc orchestrator.Service, ctx context.Context, _ none) (orchestrator.ReaperStatus, error) {
			return svc.ReaperStatus(ctx)
		},
	}
	rowReaperLog = call[logIn, []orchestrator.SweepStep]{
		route: "POST /v1/reaper/log",
		do: func(svc orchestrator.Service, ctx context.Context, in logIn) ([]orchestrator.SweepStep, error) {
			return svc.ReaperLog(ctx, in.Ref, in.Limit)
		},
	}
)

// Sweep implements [orchestrator.Reaping].
func (c *Client) Sweep(ctx context.Context, req orchestrator.SweepRequest) (orchestrator.Sweep, error) {
	return rowSweep.on(ctx, c, req)
}

// ReaperStatus implements [orchestrator.Reaping].
func (c *Client) ReaperStatus(ctx context.Context) (orchestrator.ReaperStatus, error) {
	return rowReaperStatus.on(ctx, c, none{})
}

// ReaperLog implements [orchestrator.Reaping].
func (c *Client) ReaperLog(ctx context.Context, ref orchestrator.ChatRef, limit int) ([]orchestrator.SweepStep, error) {
	return rowReaperLog.on(ctx, c, logIn{Ref: ref, Limit: limit})
}
