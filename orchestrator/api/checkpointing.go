package api

import (
	"context"

	"boo/orchestrator"
)

// Turn implements [orchestrator.Checkpointing].
func (c *Client) Turn(ctx context.Context, id orchestrator.TurnID) (orchestrator.TurnDetail, error) {
	return rowTurn.on(ctx, c, id)
}

// Checkpoints implements [orchestrator.Checkpointing].
func (c *Client) Checkpoints(ctx context.Context, sel orchestrator.CheckpointSelector) ([]orchestrator.CheckpointState, error) {
	return rowCheckpoints.on(ctx, c, sel)
}

// VerifyCheckpoints implements [orchestrator.Checkpointing].
func (c *Client) VerifyCheckpoints(ctx context.Context, sel orchestrator.CheckpointSelector) (orchestrator.CheckpointReport, error) {
	return rowVerify.on(ctx, c, sel)
}

// DropCheckpoints implements [orchestrator.Checkpointing].
func (c *Client) DropCheckpoints(ctx context.Context, sel orchestrator.CheckpointSelector, keep int) (int, error) {
	return rowDrop.on(ctx, c, dropIn{sel, keep})
}

// ImportCheckpoints implements [orchestrator.Checkpointing].
func (c *Client) ImportCheckpoints(ctx context.Context, list []orchestrator.Checkpoint) ([]orchestrator.CheckpointImport, error) {
	return rowImport.on(ctx, c, list)
}
