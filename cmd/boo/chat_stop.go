package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

type stopOptions struct {
	Ref orchestrator.ChatRef
	Now bool
	All bool // the queued turns too
}

func chatStopCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "stop",
		Usage:     "stop the turn that runs in a chat",
		ArgsUsage: "[CHAT]",
		Description: "The agent is asked to stop, and ended if it does not within seconds. What it did\n" +
			"is kept. When the command returns, the turn is over. To stop all of a chat at once:\n" +
			"  boo chat stop --all --now",
		Flags: []cli.Flag{
			toggle("now", "end the agent at once, without asking it"),
			toggle("all", "the turns that wait in the chat too", "a"),
		},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			return runChatStop(c.Context, e, stopOptions{Ref: ref, Now: c.Bool("now"), All: c.Bool("all")})
		},
	}
}

func runChatStop(ctx context.Context, e *env, o stopOptions) error {
	svc, err := e.turns(ctx)
	if err != nil {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	d, err := svc.Chat(ctx, o.Ref)
	if err != nil {
		return err
	}
	open := slices.DeleteFunc(d.TurnList, func(t orchestrator.Turn) bool { return t.State.Terminal() })
	if !o.All {
		open = open[:min(1, len(open))]
	}
	if len(open) == 0 {
		if !e.JSON {
			e.Stderr.Println(tty.Plain("nothing runs in chat "), tty.Cyan(string(d.ID)))
		}
		return nil
	}
	// The last first: none of them may begin because the one before it ends.
	for _, t := range slices.Backward(open) {
		if err := svc.Stop(ctx, t.ID, o.Now); err != nil {
			return err
		}
	}
	for _, t := range open {
		v := verdict{chat: d.ID, turn: t.ID, agent: t.Agent}
		if err := v.follow(ctx, svc); err != nil {
			return err
		}
		if err := v.show(e); err != nil {
			return err
		}
	}
	return nil
}
