package main

import (
	"context"
	"time"

	"github.com/robfig/cron/v3"
	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
	"boo/reaper"
)

func reaperServeCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "sweep from time to time, until a signal comes",
		Description: "The daemon sweeps by itself; this is for who runs none, or wants other times. A sweep that is\n" +
			"under way elsewhere is left to go on, and one that was missed is made up for.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "every", Usage: "sweep this long after the sweep before: `10m`, 1d (default: reaper.every)"},
			&cli.StringFlag{Name: "cron", Usage: "sweep when the `EXPRESSION` of five fields says, such as \"*/10 * * * *\""},
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			_, config, err := e.settings()
			if err != nil {
				return err
			}
			when, err := schedule(c.String("every"), c.String("cron"), config.Reaper)
			if err != nil {
				return err
			}
			return runReaperServe(c.Context, e, when)
		},
	}
}

// schedule reads when to sweep.
func schedule(every, expression string, c reaperConfig) (reaper.Schedule, error) {
	invalid := func(format string, args ...any) error {
		return orchestrator.Errorf(orchestrator.CodeInvalid, format, args...).WithHint("boo reaper serve --help")
	}
	if expression != "" {
		if every != "" {
			return nil, invalid("--every and --cron exclude each other")
		}
		when, err := cron.ParseStandard(expression)
		if err != nil {
			return nil, invalid("--cron: %w", err)
		}
		return when, nil
	}
	if every != "" {
		if err := c.Every.UnmarshalText([]byte(every)); err != nil {
			return nil, invalid("--every: %w", err)
		}
		if key, err := c.check(); key == "every" {
			return nil, invalid("--every: %w", err)
		}
	}
	if c.Every == 0 {
		return nil, invalid("reaper.every is off, and neither --every nor --cron says when to sweep")
	}
	return reaper.Every(c.Every), nil
}

func runReaperServe(ctx context.Context, e *env, when reaper.Schedule) error {
	ctx, stop := e.stoppable(ctx)
	defer stop()
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	status, err := svc.ReaperStatus(ctx)
	if err != nil {
		return err
	}
	var last time.Time
	if status.Last != nil {
		last = status.Last.Started
	}
	if err := e.letGo(); err != nil {
		return err
	}
	reaper.Serve(ctx, when, last, func(ctx context.Context, next time.Time) {
		if err := serveSweep(ctx, e, next); err != nil && ctx.Err() == nil {
			e.Stderr.Println(tty.Red("boo: "), tty.Plain(err.Error()))
		}
	})
	return nil
}

// serveSweep sweeps in the daemon if one runs by now. Nothing is held until the
// next time.
func serveSweep(ctx context.Context, e *env, next time.Time) error {
	svc, err := e.turns(ctx)
	if err != nil {
		return err
	}
	done, err := svc.Sweep(ctx, orchestrator.SweepRequest{Next: next})
	if closeErr := e.letGo(); err == nil {
		err = closeErr
	}
	if orchestrator.CodeOf(err) == orchestrator.CodeBusy {
		return nil
	}
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(done)
	}
	for _, s := range done.Steps {
		showStep(e, s)
	}
	return nil
}
