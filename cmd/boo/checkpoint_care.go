package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func checkpointVerifyCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "compare checkpoints with their digests, and set damaged ones aside",
		ArgsUsage: "[CHAT]",
		Description: "A damaged one is kept and not used: the newest that holds is. Exit status 5 if there are any.\n" +
			"  boo checkpoint verify --all --old",
		Flags: checkpointFlags(true),
		Action: func(c *cli.Context) error {
			sel, err := checkpointArgs(c, e)
			if err != nil {
				return err
			}
			return runCheckpointVerify(c.Context, e, sel)
		},
	}
}

func runCheckpointVerify(ctx context.Context, e *env, sel orchestrator.CheckpointSelector) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	report, err := svc.VerifyCheckpoints(ctx, sel)
	if err != nil {
		return err
	}
	if e.JSON {
		if report.Damaged == nil {
			report.Damaged = []orchestrator.CheckpointState{}
		}
		if err := e.Stdout.JSON(report); err != nil {
			return err
		}
	} else {
		for _, c := range report.Damaged {
			e.Stdout.Println(tty.Red("damaged  "), tty.Cyan(string(c.Chat)), tty.Plain(fmt.Sprintf("  %s  step %d: %s", c.Agent, c.Step, c.Fault)))
		}
		e.Stderr.Println(tty.Plain(fmt.Sprintf("%d checkpoints, %d damaged", report.Checked, len(report.Damaged))))
	}
	if n := len(report.Damaged); n > 0 {
		return orchestrator.Errorf(orchestrator.CodeUnverified, "%d of %d checkpoints are damaged; they are kept, and not used", n, report.Checked).
			WithHint("boo checkpoint import --dir DIR   (of an earlier export)")
	}
	return nil
}

func checkpointGcCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "gc",
		Usage:     "remove old checkpoints of a chat",
		ArgsUsage: "[CHAT]",
		Description: "What is kept, beside the newest ones, is the last one from before each reset. By itself\n" +
			"boo keeps the newest 1000 of each agent:\n" +
			"  boo checkpoint gc --keep 20",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Usage: "of this `AGENT` only"},
			&cli.IntFlag{Name: "keep", Value: 100, Usage: "keep the newest `COUNT` of each agent"},
		},
		Action: func(c *cli.Context) error {
			sel, err := checkpointArgs(c, e)
			if err != nil {
				return err
			}
			return runCheckpointGc(c.Context, e, sel, c.Int("keep"))
		},
	}
}

func runCheckpointGc(ctx context.Context, e *env, sel orchestrator.CheckpointSelector, keep int) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	removed, err := svc.DropCheckpoints(ctx, sel, keep)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(map[string]int{"removed": removed})
	}
	e.Stderr.Println(tty.Plain(fmt.Sprintf("%d checkpoints removed", removed)))
	return nil
}
