package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func pendingRejectCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "reject",
		Usage:     "take pending changes out of the chat again",
		ArgsUsage: "[PATH… | ID…]",
		Description: "In the chat's worktree the files go back to what they were before the changes; your\n" +
			"checkout is not touched. The agents that made them are told at their next turn.\n" +
			"A turn that runs is waited for. boo pending undo brings the changes back.",
		Flags: []cli.Flag{
			chatFlag(), shareFlag(), patchFlag(),
			&cli.StringFlag{Name: "reason", Aliases: []string{"m"}, Usage: "tell the agents `WHY`"},
		},
		Action: func(c *cli.Context) error {
			return runPendingReject(c.Context, e, selector(c, e), orchestrator.RejectOptions{
				Reason: c.String("reason"), Agent: orchestrator.AgentName(c.String("agent")),
			}, c.Bool("patch"))
		},
	}
}

func runPendingReject(ctx context.Context, e *env, sel orchestrator.ChangeSelector, opts orchestrator.RejectOptions, ask bool) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	if ask {
		if sel.Args, opts.Hunks, err = e.askHunks(ctx, sel, "Reject", opts.Agent); err != nil || sel.Args == nil {
			return err
		}
	}
	opts.Waiting = e.waitsForTurn
	result, err := svc.Reject(ctx, sel, opts)
	if e.JSON {
		return e.decided(result, err)
	}
	showConflicts(e, result)
	if err != nil {
		return err
	}
	showLeft(e, result, "boo pending reject")
	if len(result.Files) == 0 {
		if len(result.Left) == 0 {
			e.nothingHere(sel.Chat)
		}
		return nil
	}
	showFiles(e, result)
	e.Stderr.Println(tty.Green("✓ "), tty.Plain(fmt.Sprintf("%s rejected in chat %s", plural(len(result.Files), "change"), result.Chat)))
	e.Stderr.Println(tty.Dim("bring them back with "), tty.Bold("boo pending undo"))
	return nil
}
