package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func chatResetCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "reset",
		Usage:     "give the agents of a chat a new context",
		ArgsUsage: "[CHAT]",
		Description: "The next turn of each begins a session that knows nothing of the chat: for an agent that\n" +
			"is stuck, or has lost its way. The worktree, the pending changes and what was spent\n" +
			"stay. A turn that runs is waited for. An agent that was warm is started again at once.\n" +
			"For one agent, now, and with an empty log:\n" +
			"  boo chat reset --agent goose --now --clear-log",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Usage: "only this `AGENT`"},
			toggle("now", "cancel its turn that runs, instead of waiting"),
			toggle("clear-log", "begin an empty log; boo chat log --cleared has what was in it"),
		},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			o := orchestrator.ResetOptions{Now: c.Bool("now"), ClearLog: c.Bool("clear-log")}
			if c.IsSet("agent") {
				if o.Agent, err = orchestrator.ParseAgentName(c.String("agent")); err != nil {
					return usageError(c, fmt.Errorf("--agent: %w", err), false)
				}
			}
			return runChatReset(c.Context, e, ref, o)
		},
	}
}

func runChatReset(ctx context.Context, e *env, ref orchestrator.ChatRef, o orchestrator.ResetOptions) error {
	svc, err := e.daemon(ctx) // it has the turns and the warm agents
	if err != nil {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	o.Environ = personEnviron(e.Environ())
	o.Waiting = e.waitsForTurn
	done, err := svc.ResetChat(ctx, ref, o)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(done)
	}
	if len(done.Agents) == 0 {
		e.Stderr.Println(tty.Plain("no agent has taken a turn yet in chat "), tty.Cyan(string(done.Chat)))
		return nil
	}
	e.Stderr.Println(tty.Plain("reset: the next turn of "+names(done.Agents)+" begins anew in chat "), tty.Cyan(string(done.Chat)))
	if len(done.Restarted) > 0 {
		e.Stderr.Println(tty.Plain(names(done.Restarted) + " is being started again"))
	}
	e.tellKept(done.Sessions)
	return nil
}
