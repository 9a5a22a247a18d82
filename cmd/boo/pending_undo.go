package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func pendingUndoCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "undo",
		Usage: "take back the last apply or reject that was done from this checkout",
		Description: "Files, index and branch go back to what they were, and the changes are pending again.\n" +
			"It refuses rather than overwrite what you edited, staged or committed since.",
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runPendingUndo(c.Context, e)
		},
	}
}

func runPendingUndo(ctx context.Context, e *env) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	result, err := svc.Undo(ctx, e.Dir, e.waitsForTurn)
	if e.JSON {
		return e.decided(result, err)
	}
	showConflicts(e, result)
	if err != nil {
		return err
	}
	word := "taken back from"
	if result.Kind == orchestrator.KindReject {
		word = "brought back into the worktree"
	}
	showApplied(e, result, word)
	e.Stderr.Println(tty.Dim("the changes are pending again: "), tty.Bold("boo pending ls"))
	return nil
}

// waitsForTurn tells that a turn runs.
func (e *env) waitsForTurn() {
	if !e.JSON {
		e.Stderr.Println(tty.Plain("a turn is running in the chat; waiting for its end"))
	}
}
