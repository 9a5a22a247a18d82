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

func usageCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "usage",
		Usage: "show what the agents have cost",
		Description: "Tokens, cost and time of all turns, as the agents tell them: an agent that tells\n" +
			"nothing counts as nothing. Chats that are closed, reset or removed are in it:\n" +
			"  boo usage\n" +
			"  boo usage --by day",
		Flags: []cli.Flag{&cli.StringFlag{Name: "by", Value: "agent", Usage: "add up by `WHAT`: agent, chat, repo or day"}},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			by, err := orchestrator.ParseUsageBy(c.String("by"))
			if err != nil {
				return usageError(c, fmt.Errorf("--by: %w", err), false)
			}
			return runUsage(c.Context, e, by)
		},
	}
}

func runUsage(ctx context.Context, e *env, by orchestrator.UsageBy) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	lines, err := svc.Usage(ctx, by)
	if err != nil {
		return err
	}
	if e.JSON {
		for _, l := range lines {
			if err := e.Stdout.JSON(l); err != nil {
				return err
			}
		}
		return nil
	}
	if len(lines) == 0 {
		e.Stderr.Println(tty.Plain("no turn has been taken yet"))
		return nil
	}
	t := tty.Table{Path: 7, Prose: true, Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true}}
	t.Row(tty.Dim(strings.ToUpper(string(by))), tty.Dim("TURNS"), tty.Dim("IN"), tty.Dim("OUT"), tty.Dim("CACHED"), tty.Dim("TIME"), tty.Dim("COST"), tty.Dim(""))
	row := func(l orchestrator.UsageLine) {
		t.Row(tty.Cyan(l.Key), tty.Plain(fmt.Sprint(l.Turns)), tty.Plain(grouped(l.Input)), tty.Plain(grouped(l.Output)),
			tty.Plain(grouped(l.CacheRead+l.CacheWrite)), tty.Plain(duration(time.Duration(l.Time)*time.Millisecond)), tty.Plain(costs(l.Costs)), tty.Plain(l.Title))
	}
	total := orchestrator.UsageLine{Key: "total"}
	for _, l := range lines {
		row(l)
		total.Add(l)
	}
	if len(lines) > 1 {
		row(total)
	}
	t.Print(e.Stdout)
	return nil
}

// costs names the amount in each currency.
func costs(amounts map[string]float64) string {
	var words []string
	for _, currency := range slices.Sorted(maps.Keys(amounts)) {
		words = append(words, strings.TrimSpace(fmt.Sprintf("%.4f %s", amounts[currency], currency)))
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, ", ")
}
