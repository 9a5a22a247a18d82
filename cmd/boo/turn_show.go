package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func turnShowCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:        "show",
		Usage:       "show a turn: its prompt, how it ended, and what of it has an unknown outcome",
		ArgsUsage:   "TURN",
		Description: "boo chat show lists the turns of a chat.\n  boo turn show t8x4m2qkz1",
		Action: func(c *cli.Context) error {
			turn, err := turnArg(c)
			if err != nil {
				return err
			}
			return runTurnShow(c.Context, e, turn)
		},
	}
}

// turnShown is the line that "boo turn show --json" prints.
type turnShown struct {
	Chat orchestrator.ChatID `json:"chat"`
	turnLine
	Hint       string                        `json:"hint,omitempty"`
	Calls      int                           `json:"tool_calls"`
	Key        string                        `json:"idempotency_key,omitempty"`
	RetryOf    orchestrator.TurnID           `json:"retry_of,omitempty"`
	Checkpoint *orchestrator.CheckpointState `json:"checkpoint,omitempty"`
}

func runTurnShow(ctx context.Context, e *env, id orchestrator.TurnID) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	d, err := svc.Turn(ctx, id)
	if err != nil {
		return err
	}
	t := d.Turn
	if e.JSON {
		return e.Stdout.JSON(turnShown{
			Chat: t.Chat, turnLine: viewTurn(t), Hint: t.Hint, Calls: t.Calls, Key: t.Key, RetryOf: t.RetryOf, Checkpoint: d.Checkpoint,
		})
	}
	e.Stdout.Println(tty.Plain("turn "), tty.Cyan(string(t.ID)), tty.Plain(fmt.Sprintf("  %d of chat ", t.Number)), tty.Cyan(string(t.Chat)), tty.Plain("  "), stateSpan(t.State))
	facts := tty.Table{Path: -1}
	fact := func(name, value string) {
		if value != "" {
			facts.Row(tty.Dim("  "+name), tty.Plain(value))
		}
	}
	fact("agent", string(t.Agent))
	fact("reason", t.Reason)
	fact("to go on", t.Hint)
	fact("repeats", string(t.RetryOf))
	fact("key", t.Key)
	fact("sent", ago(e.Now(), t.Sent))
	fact("session", string(t.Rung))
	fact("tool calls", fmt.Sprint(t.Calls))
	fact("tokens", fmt.Sprintf("%d in, %d out", t.Usage.Input, t.Usage.Output))
	facts.Print(e.Stdout)
	if d.Checkpoint != nil {
		showCheckpoint(e, *d.Checkpoint)
	}
	e.Stdout.Println(tty.Plain(t.Prompt))
	return nil
}
