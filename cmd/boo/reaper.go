package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func reaperCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "reaper",
		Usage: "take worktrees off the disk that nobody uses, without losing what is in them",
		Description: "The daemon does it by itself, every ten minutes. What leaves the disk is the worktree of a\n" +
			"closed chat, out of use for an hour, in which nothing is at risk; it is kept in snapshots and\n" +
			"comes back with: boo worktree restore CHAT. All else that is kept is listed with the reason.",
		Subcommands: []*cli.Command{reaperRunCommand(e), reaperServeCommand(e), reaperStatusCommand(e), reaperLogCommand(e)},
	}
}

// reaperRunOptions is how to sweep.
type reaperRunOptions struct{ DryRun, All bool }

func reaperRunCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "sweep once, now",
		Description: "What was found to be at risk is looked at again after a time that grows; with --all it is\n" +
			"looked at now.",
		Flags: []cli.Flag{
			toggle("dry-run", "change nothing, say what would be done", "n"),
			toggle("all", "judge everything again that is held", "a"),
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runReaperRun(c.Context, e, reaperRunOptions{DryRun: c.Bool("dry-run"), All: c.Bool("all")})
		},
	}
}

func runReaperRun(ctx context.Context, e *env, o reaperRunOptions) error {
	ctx, stop := e.stoppable(ctx)
	defer stop()
	svc, err := e.turns(ctx) // the daemon has the warm agents
	if err != nil {
		return err
	}
	done, err := svc.Sweep(ctx, orchestrator.SweepRequest{DryRun: o.DryRun, All: o.All})
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(done)
	}
	for _, s := range done.Steps {
		showStep(e, s)
	}
	what := "swept: "
	if done.DryRun {
		what = "nothing was changed; a sweep would come to: "
	}
	e.Stderr.Println(tty.Plain(what + sweepWords(done)))
	return nil
}

// sweepWords sums a sweep up.
func sweepWords(s orchestrator.Sweep) string {
	names := map[orchestrator.SweepAction]string{
		orchestrator.SweepSettle: "settled", orchestrator.SweepArchive: "archived", orchestrator.SweepHold: "held", orchestrator.SweepLose: "found lost",
		orchestrator.SweepClear: "cleared away", orchestrator.SweepPurge: "ended for good", orchestrator.SweepFail: "failed",
	}
	var words []string
	for _, action := range slices.Sorted(maps.Keys(s.Counts)) {
		words = append(words, fmt.Sprintf("%d %s", s.Counts[action], names[action]))
	}
	if len(words) == 0 {
		words = append(words, "nothing to do")
	}
	if s.Freed > 0 {
		words = append(words, orchestrator.Bytes(s.Freed)+" freed")
	}
	return strings.Join(words, ", ")
}

// showStep shows one decision, after what comes before it in its line.
func showStep(e *env, s orchestrator.SweepStep, before ...tty.Span) {
	colour := tty.Plain
	switch s.Action {
	case orchestrator.SweepHold, orchestrator.SweepLose:
		colour = tty.Yellow
	case orchestrator.SweepFail:
		colour = tty.Red
	case orchestrator.SweepArchive:
		colour = tty.Green
	}
	subject := string(s.Chat)
	if subject == "" {
		subject = s.Path
	}
	reason := s.Reason
	if s.Freed > 0 {
		reason += " (" + orchestrator.Bytes(s.Freed) + ")"
	}
	e.Stdout.Println(append(before, colour(fmt.Sprintf("%-8s", s.Action)), tty.Cyan(subject), tty.Plain("  "+reason))...)
}

func reaperLogCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "log",
		Usage:     "tell what the reaper decided, and why",
		ArgsUsage: "[CHAT]",
		Flags:     []cli.Flag{&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: 100, Usage: "the newest `N` decisions; 0 for all on record"}},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			return runReaperLog(c.Context, e, ref, c.Int("limit"))
		},
	}
}

func runReaperLog(ctx context.Context, e *env, ref orchestrator.ChatRef, limit int) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	steps, err := svc.ReaperLog(ctx, ref, limit)
	if err != nil {
		return err
	}
	if len(steps) == 0 && !e.JSON {
		e.Stderr.Println(tty.Plain("nothing has been decided yet; what a sweep would do: boo reaper run --dry-run"))
	}
	for _, s := range steps {
		if e.JSON {
			if err := e.Stdout.JSON(s); err != nil {
				return err
			}
			continue
		}
		showStep(e, s, tty.Dim(s.At.Local().Format(time.DateTime)+"  "))
	}
	return nil
}
