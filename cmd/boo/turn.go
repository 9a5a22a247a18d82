package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/orchestrator"
)

func turnCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:        "turn",
		Usage:       "look at one turn, or have its prompt taken once more",
		Subcommands: []*cli.Command{turnShowCommand(e), turnRetryCommand(e)},
	}
}

func turnRetryCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "retry",
		Usage:     "send the prompt of a turn once more, as a new turn",
		ArgsUsage: "TURN",
		Description: "boo never does so by itself: what the turn did before it ended may be done twice. The agent\n" +
			"is told which of its tool calls have an unknown outcome. For a turn that failed in the night:\n" +
			"  boo turn show t8x4m2qkz1 && boo turn retry t8x4m2qkz1\n" +
			"A turn that was completed is repeated with --force only.",
		Flags: append([]cli.Flag{
			toggle("force", "also a turn that was completed", "f"),
			&cli.StringFlag{Name: "agent", Usage: "`AGENT` that takes it (default: the same)"},
			&cli.StringFlag{Name: "model", Usage: "`MODEL` that the agent shall use (default: the same)"},
			toggle("detach", "return when the prompt is on disk; boo chat log -f shows the turn"),
			keyFlag(),
		}, boundsFlags()...),
		Action: func(c *cli.Context) error {
			turn, err := turnArg(c)
			if err != nil {
				return err
			}
			return runSend(c.Context, e, sendOptions{
				Retry: turn, Force: c.Bool("force"), Agent: c.String("agent"), Model: c.String("model"),
				Detach: c.Bool("detach"), Key: c.String("idempotency-key"), Bounds: boundsOf(c),
			})
		},
	}
}

// turnArg is the one turn that a command names.
func turnArg(c *cli.Context) (orchestrator.TurnID, error) {
	if c.NArg() != 1 {
		return "", usageError(c, fmt.Errorf("%s wants the id of one turn", c.Command.HelpName), false)
	}
	turn, err := orchestrator.ParseTurnID(c.Args().First())
	if err != nil {
		return "", usageError(c, err, false)
	}
	return turn, nil
}
