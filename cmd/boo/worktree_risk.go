package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func worktreeRiskCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "risk",
		Usage:     "say what would be lost or disturbed if a worktree went",
		ArgsUsage: "[CHAT]",
		Description: "Of a chat, or of all chats of this repository. Nothing is changed. The exit status is 0 if\n" +
			"nothing is at risk, 4 if something is, 5 if it could not be found out.",
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			return runWorktreeRisk(c.Context, e, ref)
		},
	}
}

func runWorktreeRisk(ctx context.Context, e *env, ref orchestrator.ChatRef) error {
	svc, err := e.turns(ctx) // who is still at the files after a turn is waited for there
	if err != nil {
		return err
	}
	verdicts, err := svc.Risk(ctx, ref)
	if err != nil {
		return err
	}
	counts := map[orchestrator.RiskState]int{}
	next := "boo pending ls"
	for _, v := range verdicts {
		counts[v.State]++
		if slices.ContainsFunc(v.Risks, func(r orchestrator.Risk) bool { return r.Kind == orchestrator.RiskUnknown }) {
			next = "boo worktree repair"
		}
		if e.JSON {
			if err := e.Stdout.JSON(v); err != nil {
				return err
			}
			continue
		}
		showRisks(e, e.Stdout, v)
	}
	switch {
	case counts[orchestrator.RiskAtRisk] > 0:
		return orchestrator.Errorf(orchestrator.CodeAtRisk, "something is at risk in %d of %s", counts[orchestrator.RiskAtRisk], plural(len(verdicts), "worktree")).
			WithHint("%s", next)
	case counts[orchestrator.RiskUnverified] > 0:
		return orchestrator.Errorf(orchestrator.CodeUnverified, "it could not be found out of %d of %s whether something is at risk", counts[orchestrator.RiskUnverified], plural(len(verdicts), "worktree")).
			WithHint("%s", next)
	}
	return nil
}

// showRisks shows a verdict, a line for each reason.
func showRisks(e *env, out *tty.Output, v orchestrator.RiskVerdict) {
	if v.State == orchestrator.RiskClean {
		out.Println(tty.Cyan(string(v.Chat)), tty.Green("  clean"))
		return
	}
	for _, r := range v.Risks {
		age := ""
		if !r.Since.IsZero() {
			age = ", " + ago(e.Now(), r.Since)
			if r.Count > 1 {
				age = ", the newest " + ago(e.Now(), r.Since)
			}
		}
		out.Println(tty.Cyan(string(v.Chat)), tty.Yellow(fmt.Sprintf("  %s: ", r.Kind)), tty.Plain(r.Detail+age))
	}
}
