package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func approveCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "approve",
		Usage:     "let the commands of this repository's .boo.toml be run",
		ArgsUsage: "[ls | revoke]",
		Description: "Shows exactly what would be run and asks. What you approve is run for every new chat\n" +
			"of the repository, until the file says something else; then you are asked anew.\n" +
			"ls lists the commands and whether they may run; revoke takes every approval back.",
		Flags: []cli.Flag{toggle("yes", "approve what is shown without a question, as for scripts", "y")},
		Action: func(c *cli.Context) error {
			switch args := c.Args().Slice(); {
			case len(args) == 0:
				return runApprove(c.Context, e, c.Bool("yes"))
			case slices.Equal(args, []string{"ls"}):
				return runApproveLs(c.Context, e)
			case slices.Equal(args, []string{"revoke"}):
				return runApproveRevoke(c.Context, e)
			default:
				return usageError(c, orchestrator.Errorf(orchestrator.CodeInvalid, "boo approve takes ls or revoke, but got %q", args), false)
			}
		},
	}
}

func runApprove(ctx context.Context, e *env, yes bool) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	sets, err := svc.Approvals(ctx, e.Dir)
	if err != nil {
		return err
	}
	open := slices.DeleteFunc(slices.Clone(sets), func(s orchestrator.CommandSet) bool { return s.Approved })
	switch {
	case len(sets) == 0:
		return e.nothingToApprove()
	case len(open) == 0 && !e.JSON:
		e.Stderr.Println(tty.Plain("everything that .boo.toml would run is approved already: "), tty.Bold("boo approve ls"))
		return nil
	}
	if !e.JSON {
		showSets(e, e.Stderr, open)
	}
	if !yes {
		if err := e.confirmApproval(ctx); err != nil {
			return err
		}
	}
	if err := svc.Approve(ctx, e.Dir, open); err != nil {
		return err
	}
	if e.JSON {
		return e.listSets(ctx, svc)
	}
	e.Stderr.Println(tty.Green("✓ "), tty.Plain("approved; take it back with "), tty.Bold("boo approve revoke"))
	return nil
}

// confirmApproval asks; without a person there nothing is approved.
func (e *env) confirmApproval(ctx context.Context) error {
	if !e.attended() {
		return orchestrator.Errorf(orchestrator.CodeDenied, "nobody is there to be asked; nothing was approved").WithHint("boo approve --yes")
	}
	key, err := e.Key(ctx, "yn", func() {
		e.Stderr.Println(tty.Bold("Let these be run in the worktrees of this repository? [y,n]"))
	})
	if err != nil {
		return err
	}
	if key != 'y' {
		return orchestrator.Errorf(orchestrator.CodeInterrupted, "nothing was approved")
	}
	return nil
}

func runApproveLs(ctx context.Context, e *env) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.listSets(ctx, svc)
	}
	sets, err := svc.Approvals(ctx, e.Dir)
	if err != nil {
		return err
	}
	if len(sets) == 0 {
		return e.nothingToApprove()
	}
	showSets(e, e.Stdout, sets)
	return nil
}

func (e *env) listSets(ctx context.Context, svc orchestrator.Service) error {
	sets, err := svc.Approvals(ctx, e.Dir)
	if err != nil {
		return err
	}
	for _, set := range sets {
		if err := e.Stdout.JSON(set); err != nil {
			return err
		}
	}
	return nil
}

func (e *env) nothingToApprove() error {
	if !e.JSON {
		e.Stderr.Println(tty.Plain("this repository has no .boo.toml with commands"))
	}
	return nil
}

func showSets(e *env, out *tty.Output, sets []orchestrator.CommandSet) {
	for _, set := range sets {
		state := tty.Yellow("not approved")
		if set.Approved {
			state = tty.Green("approved " + set.At.Local().Format("2006-01-02 15:04"))
		}
		out.Println(tty.Bold(string(set.Kind)), tty.Plain("  "), state)
		for _, c := range set.Commands {
			out.Println(tty.Plain(fmt.Sprintf("  %-10s ", c.Label)), tty.Plain(c.Command))
		}
		if len(set.EnvPass) > 0 {
			out.Println(tty.Plain(fmt.Sprintf("  %-10s %q", "sees", set.EnvPass)))
		}
	}
}

func runApproveRevoke(ctx context.Context, e *env) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	n, err := svc.Revoke(ctx, e.Dir)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(map[string]int{"revoked": n})
	}
	e.Stderr.Println(tty.Plain(plural(n, "approval") + " taken back; nothing of .boo.toml is run"))
	return nil
}
