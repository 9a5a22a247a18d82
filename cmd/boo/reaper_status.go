package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
	"boo/reaper"
)

func reaperStatusCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "show the last sweep, the next one, and what is held and why",
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runReaperStatus(c.Context, e)
		},
	}
}

func runReaperStatus(ctx context.Context, e *env) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	status, err := svc.ReaperStatus(ctx)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(status)
	}
	t := tty.Table{Path: -1}
	fact := func(name, value string) { t.Row(tty.Dim(name), tty.Plain(value)) }
	fact("last sweep", lastSweepWords(e, status.Last))
	if !status.Next.IsZero() {
		next := "at " + status.Next.Local().Format("15:04:05")
		if status.Next.Before(e.Now()) {
			next = "with the daemon, or: boo reaper run"
		}
		fact("next sweep", next)
	}
	fact("archived", fmt.Sprintf("%s, %s freed", plural(status.Archived, "worktree"), orchestrator.Bytes(status.Freed)))
	fact("held", fmt.Sprint(len(status.Held)))
	t.Print(e.Stdout)
	for _, h := range status.Held {
		e.Stdout.Println(tty.Cyan(h.Name), tty.Yellow("  "+reaper.Words(e.Now(), h.Risks)))
	}
	return nil
}

func lastSweepWords(e *env, s *orchestrator.Sweep) string {
	switch {
	case s == nil:
		return "never"
	case s.Ended.IsZero():
		return "began " + ago(e.Now(), s.Started) + ", and runs, or was cut off"
	case s.Error != "":
		return ago(e.Now(), s.Started) + ", cut short: " + s.Error
	}
	return ago(e.Now(), s.Started) + ": " + sweepWords(*s)
}
