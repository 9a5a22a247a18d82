package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func chatRestartCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "restart",
		Usage:     "end the agents that a chat keeps warm",
		ArgsUsage: "[CHAT]",
		Description: "The next turn starts them anew and brings their sessions back, as after a pause.\n" +
			"For an agent that has got stuck, or shall see another environment:\n" +
			"  boo chat restart --agent goose",
		Flags: []cli.Flag{&cli.StringFlag{Name: "agent", Usage: "only this `AGENT`"}},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			var agent orchestrator.AgentName
			if c.IsSet("agent") {
				if agent, err = orchestrator.ParseAgentName(c.String("agent")); err != nil {
					return usageError(c, fmt.Errorf("--agent: %w", err), false)
				}
			}
			return runChatRestart(c.Context, e, ref, agent)
		},
	}
}

func runChatRestart(ctx context.Context, e *env, ref orchestrator.ChatRef, agent orchestrator.AgentName) error {
	svc, err := e.turns(ctx)
	if err != nil {
		return err
	}
	if err := svc.Restart(ctx, ref, agent); err != nil {
		return err
	}
	if !e.JSON {
		e.Stderr.Println(tty.Plain("the chat's next turn starts the agent anew"))
	}
	return nil
}
