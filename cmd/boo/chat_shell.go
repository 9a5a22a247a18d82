package main

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/foreground"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func chatShellCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "shell",
		Usage:     "open your shell in a chat's worktree",
		ArgsUsage: "[CHAT]",
		Description: "What you change there counts as yours, and is in the chat's next snapshot. A worktree that\n" +
			"is archived is brought back first. The files are the agents': git, run there by you, runs\n" +
			"what they may have put in its way; boo itself does not.\n" +
			"  boo chat shell nightly\n" +
			"  echo 'go test ./...' | boo chat shell",
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			return runChatShell(c.Context, e, ref)
		},
	}
}

func runChatShell(ctx context.Context, e *env, ref orchestrator.ChatRef) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	d, err := svc.Chat(ctx, ref)
	if err != nil {
		return err
	}
	wt := d.Worktree
	if wt.State != orchestrator.WorktreeActive { // else a turn may run, which need not be waited for
		if wt, err = e.restored(ctx, orchestrator.ChatRef{Dir: e.Dir, Prefix: string(d.ID)}); err != nil {
			return err
		}
	}
	if e.StdinTerminal {
		e.Stderr.Println(tty.Plain("in the worktree of chat "+string(d.ID)+"; to come back: "), tty.Bold("exit"))
	}
	// The store is not kept open for as long as somebody looks around.
	if err := e.letGo(); err != nil {
		return err
	}
	_, stop := e.Signals() // they are the shell's
	defer stop()
	err = e.Run(ctx, foreground.Program{
		Args: []string{cmp.Or(e.Getenv("SHELL"), "sh")}, Dir: string(wt.Dir),
		Env:   []string{"BOO_CHAT=" + string(d.ID), "BOO_WORKTREE_PATH=" + string(wt.Dir)},
		Stdin: e.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	if _, ended := errors.AsType[*foreground.Error](err); ended && e.StdinTerminal {
		return nil // a shell ends as the last of many commands did
	} else if ended {
		return orchestrator.Errorf(orchestrator.CodeCommand, "%w", err)
	}
	return err
}
