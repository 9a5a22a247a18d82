package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func checkpointCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "checkpoint",
		Usage: "how far agents have come, step by step",
		Description: "boo stores one before each tool call that an agent tells of, and one at each turn's end:\n" +
			"  boo checkpoint ls\n" +
			"  boo checkpoint show --step 12\n" +
			"  boo checkpoint export --dir ~/backup",
		Subcommands: []*cli.Command{
			checkpointLsCommand(e), checkpointShowCommand(e), checkpointVerifyCommand(e), checkpointGcCommand(e),
			checkpointExportCommand(e), checkpointImportCommand(e),
		},
	}
}

// checkpointFlags select checkpoints; allChats says that a command can do with
// those of all chats.
func checkpointFlags(allChats bool) []cli.Flag {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "agent", Usage: "of this `AGENT` only"},
		toggle("old", "also from before resets"),
	}
	if allChats {
		flags = append(flags, toggle("all", "of all chats", "a"))
	}
	return flags
}

// checkpointArgs is what a command's flags and its one chat select.
func checkpointArgs(c *cli.Context, e *env) (orchestrator.CheckpointSelector, error) {
	ref, err := chatArg(c, e)
	sel := orchestrator.CheckpointSelector{Ref: ref, Old: c.Bool("old"), All: c.Bool("all"), Limit: c.Int("limit"), Step: c.Int64("step")}
	if err == nil && c.IsSet("agent") {
		sel.Agent, err = orchestrator.ParseAgentName(c.String("agent"))
	}
	if err == nil && (sel.Limit < 0 || sel.Step < 0) {
		err = usageError(c, fmt.Errorf("a number cannot be below 0"), false)
	}
	return sel, err
}

func checkpointLsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "ls",
		Usage:     "list checkpoints, the newest first",
		ArgsUsage: "[CHAT]",
		Flags:     append(checkpointFlags(true), &cli.IntFlag{Name: "limit", Value: 50, Usage: "at most `COUNT`; 0 is all"}),
		Action: func(c *cli.Context) error {
			sel, err := checkpointArgs(c, e)
			if err != nil {
				return err
			}
			return runCheckpointLs(c.Context, e, sel)
		},
	}
}

func runCheckpointLs(ctx context.Context, e *env, sel orchestrator.CheckpointSelector) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	list, err := svc.Checkpoints(ctx, sel)
	if err != nil {
		return err
	}
	if e.JSON {
		for _, c := range list {
			if err := e.Stdout.JSON(c); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 {
		e.Stderr.Println(tty.Plain("no checkpoints here yet"))
		return nil
	}
	t := tty.Table{Path: -1, Prose: true, Right: map[int]bool{2: true, 4: true, 5: true}}
	t.Row(tty.Dim("CHAT"), tty.Dim("AGENT"), tty.Dim("STEP"), tty.Dim("TURN"), tty.Dim("EVENT"), tty.Dim("OPEN"), tty.Dim("WHEN"), tty.Dim("STATUS"))
	for _, c := range list {
		t.Row(tty.Cyan(string(c.Chat)), tty.Plain(string(c.Agent)), tty.Plain(fmt.Sprint(c.Step)), tty.Plain(string(c.Turn)),
			tty.Plain(fmt.Sprint(c.Seq)), tty.Plain(fmt.Sprint(len(c.Open)+c.More)), tty.Plain(ago(e.Now(), c.At)), checkpointSpan(c))
	}
	t.Print(e.Stdout)
	return nil
}

func checkpointSpan(c orchestrator.CheckpointState) tty.Span {
	switch {
	case c.Fault != "":
		return tty.Red("set aside: " + c.Fault)
	case c.Latest:
		return tty.Green(c.Name() + " · latest")
	}
	return tty.Plain(c.Name())
}

func checkpointShowCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show a checkpoint: the latest one, or that of a step",
		ArgsUsage: "[CHAT]",
		Flags:     append(checkpointFlags(false), &cli.Int64Flag{Name: "step", DefaultText: "latest", Usage: "the one of step `NUMBER`"}),
		Action: func(c *cli.Context) error {
			sel, err := checkpointArgs(c, e)
			if err != nil {
				return err
			}
			return runCheckpointShow(c.Context, e, sel)
		},
	}
}

func runCheckpointShow(ctx context.Context, e *env, sel orchestrator.CheckpointSelector) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	list, err := svc.Checkpoints(ctx, sel)
	if err != nil {
		return err
	}
	for _, c := range list {
		if sel.Step == 0 && !c.Latest {
			continue
		}
		if e.JSON {
			return e.Stdout.JSON(c)
		}
		showCheckpoint(e, c)
		return nil
	}
	return orchestrator.Errorf(orchestrator.CodeNotFound, "there is no such checkpoint").WithHint("boo checkpoint ls --old")
}

func showCheckpoint(e *env, c orchestrator.CheckpointState) {
	e.Stdout.Println(tty.Plain("step "), tty.Cyan(fmt.Sprint(c.Step)), tty.Plain(" of "+string(c.Agent)+" in chat "), tty.Cyan(string(c.Chat)), tty.Plain("  "), checkpointSpan(c))
	facts := tty.Table{Path: -1}
	fact := func(name, value string) {
		if value != "" {
			facts.Row(tty.Dim("  "+name), tty.Plain(value))
		}
	}
	fact("reason", c.Reason)
	fact("turn", string(c.Turn))
	fact("stored", ago(e.Now(), c.At))
	fact("events up to", fmt.Sprint(c.Seq))
	fact("files", string(c.Tree))
	fact("session", c.NativeID)
	if c.Generation > 0 {
		fact("resets before", fmt.Sprint(c.Generation))
	}
	facts.Print(e.Stdout)
	for _, call := range c.Open {
		e.Stdout.Println(tty.Yellow("  not ended  "), tty.Plain(call.Kind+" "), tty.Bold(subject(call.Title)), tty.Dim("  "+subject(call.Input)))
	}
	if c.More > 0 {
		e.Stdout.Println(tty.Yellow(fmt.Sprintf("  not ended  %d more", c.More)))
	}
}
