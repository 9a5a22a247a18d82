package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// theWaysOn is said by the commands that end a chat.
const theWaysOn = "Where changes, stashes or commits are at risk (exit status 4), or that cannot be found\n" +
	"out (5), nothing happens: apply them, reject them, or say --force, which keeps all of\n" +
	"it in snapshots below refs/boo/."

func chatCloseCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "close",
		Usage:     "end a chat: its agents go, its worktree is archived",
		ArgsUsage: "[CHAT]",
		Description: "The agents' sessions are put away, and come back when the chat is opened again:\n" +
			"  boo chat reopen CHAT\n" +
			"So does a prompt to it, with -c CHAT. " + theWaysOn,
		Flags: []cli.Flag{
			toggle("force", "also with changes, stashes or commits at risk: they are kept", "f"),
			toggle("keep-worktree", "leave the worktree on the disk for now"),
		},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			return runChatClose(c.Context, e, ref, orchestrator.CloseOptions{Force: c.Bool("force"), KeepWorktree: c.Bool("keep-worktree")})
		},
	}
}

func runChatClose(ctx context.Context, e *env, ref orchestrator.ChatRef, o orchestrator.CloseOptions) error {
	svc, err := e.daemon(ctx) // it has the warm agents, and time to clear up
	if err != nil {
		return err
	}
	done, err := svc.CloseChat(ctx, ref, o)
	if told, err := e.toldEnd(done, err); told || err != nil {
		return err
	}
	if done.Already {
		e.Stderr.Println(tty.Plain("it is closed already"))
		return nil
	}
	e.Stderr.Println(tty.Plain("closed; to open it again: "), tty.Bold("boo chat reopen "+string(done.Chat)))
	e.tellLeft(done.Worktree)
	return nil
}

// toldEnd says what became of a chat's end where that is JSON or an error; told
// is false if it went well, and is still to be said to a person.
func (e *env) toldEnd(done orchestrator.ClosedChat, err error) (told bool, _ error) {
	if e.JSON {
		if done.Chat != "" && (err == nil || done.Worktree != nil) {
			if jsonErr := e.Stdout.JSON(done); err == nil {
				err = jsonErr
			}
		}
		return true, err
	}
	if err != nil && done.Worktree != nil && len(done.Worktree.Verdict.Risks) > 0 {
		showRisks(e, e.Stderr, done.Worktree.Verdict)
	}
	return err != nil, err
}
