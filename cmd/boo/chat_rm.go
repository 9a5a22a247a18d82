package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func chatRmCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "rm",
		Usage:     "remove a chat; what it did is kept for a while",
		ArgsUsage: "[CHAT]",
		Description: "It is closed and hidden, and agents that can be asked to delete their own copy of the\n" +
			"conversation. Its log and its snapshots stay for as long as archives do; until then\n" +
			"  boo chat reopen CHAT\n" +
			"brings it back, and 'boo chat ls --all' shows it.\n" + theWaysOn,
		Flags: []cli.Flag{
			toggle("force", "also with changes, stashes or commits at risk: they are kept", "f"),
			toggle("yes", "do not ask, as for scripts", "y"),
		},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			return runChatRm(c.Context, e, ref, c.Bool("force"), c.Bool("yes"))
		},
	}
}

func runChatRm(ctx context.Context, e *env, ref orchestrator.ChatRef, force, yes bool) error {
	svc, err := e.daemon(ctx) // it has the warm agents, and time to clear up
	if err != nil {
		return err
	}
	chat, err := svc.Chat(ctx, ref)
	if err != nil {
		return err
	}
	if !yes {
		if err := e.confirmRemoval(ctx, chat.ChatSummary); err != nil {
			return err
		}
	}
	ref.Prefix = string(chat.ID) // what was asked about
	done, err := svc.RemoveChat(ctx, ref, orchestrator.CloseOptions{Force: force, Environ: personEnviron(e.Environ())})
	if told, err := e.toldEnd(done, err); told || err != nil {
		return err
	}
	if done.Already {
		e.Stderr.Println(tty.Plain("it is removed already"))
		return nil
	}
	e.Stderr.Println(tty.Plain("removed; until its snapshots go, it comes back with: "), tty.Bold("boo chat reopen "+string(done.Chat)))
	e.tellLeft(done.Worktree)
	e.tellKept(done.Sessions)
	return nil
}

// confirmRemoval asks; without a person there nothing is removed.
func (e *env) confirmRemoval(ctx context.Context, c orchestrator.ChatSummary) error {
	if !e.attended() {
		return orchestrator.Errorf(orchestrator.CodeDenied, "nobody is there to be asked; nothing was removed").WithHint("boo chat rm --yes %s", c.ID)
	}
	key, err := e.Key(ctx, "yn", func() {
		e.Stderr.Println(tty.Bold("Remove chat "), tty.Cyan(string(c.ID)), tty.Plain(" "+tty.Line(titleOf(c))), tty.Bold("? [y,n]"))
	})
	if err != nil {
		return err
	}
	if key != 'y' {
		return orchestrator.Errorf(orchestrator.CodeInterrupted, "nothing was removed")
	}
	return nil
}

// tellKept says which agents have a copy of the conversation still.
func (e *env) tellKept(sessions []orchestrator.DeletedSession) {
	for _, s := range sessions {
		if !s.Deleted {
			e.Stderr.Println(tty.Yellow(string(s.Agent)), tty.Plain(" has its own copy of the conversation still: "+tty.Cut(tty.Line(s.Kept), 300)))
		}
	}
}
