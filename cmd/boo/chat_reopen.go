package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func chatReopenCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "reopen",
		Usage:     "open a chat again that was closed or removed",
		ArgsUsage: "[CHAT]",
		Description: "Its worktree comes back with the next prompt, to the same place, and its agents'\n" +
			"sessions with it. To have the files at once:\n" +
			"  boo worktree restore CHAT",
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			return runChatReopen(c.Context, e, ref)
		},
	}
}

func runChatReopen(ctx context.Context, e *env, ref orchestrator.ChatRef) error {
	svc, err := e.turns(ctx)
	if err != nil {
		return err
	}
	done, err := svc.ReopenChat(ctx, ref)
	if err != nil {
		return err
	}
	switch {
	case e.JSON:
		return e.Stdout.JSON(done)
	case done.Already:
		e.Stderr.Println(tty.Plain("it is open"))
	default:
		e.Stderr.Println(tty.Plain("open again; go on with: "), tty.Bold("boo chat send -c "+string(done.Chat)+" …"))
	}
	return nil
}
