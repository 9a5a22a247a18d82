package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func worktreeArchiveCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "archive",
		Usage:     "take a chat's worktree off the disk; nothing that git can hold is lost",
		ArgsUsage: "[CHAT]",
		Description: "Its files, commits, what is staged and small ignored files are kept in the repository, below\n" +
			"refs/boo/. The next prompt to the chat brings it back to the same place, and so does\n" +
			"  boo worktree restore CHAT\n" +
			"Where something is at risk (exit status 4), or that cannot be found out (5), it stays.",
		Flags: []cli.Flag{toggle("force", "also with changes, stashes or commits at risk: they are kept likewise", "f")},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			return runWorktreeArchive(c.Context, e, ref, c.Bool("force"))
		},
	}
}

func runWorktreeArchive(ctx context.Context, e *env, ref orchestrator.ChatRef, force bool) error {
	svc, err := e.daemon(ctx) // it has the warm agents, and time to clear up
	if err != nil {
		return err
	}
	done, err := svc.Archive(ctx, ref, force)
	if e.JSON && done.Chat != "" {
		if jsonErr := e.Stdout.JSON(done); err == nil {
			err = jsonErr
		}
	}
	if err != nil {
		if !e.JSON && orchestrator.CodeOf(err) == orchestrator.CodeAtRisk && len(done.Verdict.Risks) > 0 {
			showRisks(e, e.Stderr, done.Verdict)
		}
		return err
	}
	if e.JSON {
		return nil
	}
	if done.Already {
		e.Stderr.Println(tty.Plain("it is archived already"))
		return nil
	}
	e.Stderr.Println(tty.Plain("archived; to bring it back: "), tty.Bold("boo worktree restore "+string(done.Chat)))
	e.tellLeft(&done)
	return nil
}

// tellLeft says what of a worktree that was archived was not kept, and what did
// not work; nil is none.
func (e *env) tellLeft(done *orchestrator.Archived) {
	if done == nil {
		return
	}
	for _, warning := range done.Warnings {
		e.Stderr.Println(tty.Yellow("note: "), tty.Plain(warning))
	}
	if len(done.Left) > 0 {
		e.Stderr.Println(tty.Yellow("not kept: "), tty.Plain("ignored, and too much: "+strings.Join(done.Left, ", ")))
	}
}

func worktreeRestoreCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "restore",
		Usage:     "bring an archived worktree back",
		ArgsUsage: "[CHAT]",
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			return runWorktreeRestore(c.Context, e, ref)
		},
	}
}

func runWorktreeRestore(ctx context.Context, e *env, ref orchestrator.ChatRef) error {
	wt, err := e.restored(ctx, ref)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(map[string]string{"chat": string(wt.Chat), "dir": string(wt.Dir), "state": string(wt.State)})
	}
	e.Stderr.Println(tty.Plain("the worktree is at "), tty.Cyan(string(wt.Dir)))
	return nil
}

// restored is the worktree of a chat, brought back if it is archived.
func (e *env) restored(ctx context.Context, ref orchestrator.ChatRef) (orchestrator.Worktree, error) {
	svc, err := e.turns(ctx)
	if err != nil {
		return orchestrator.Worktree{}, err
	}
	wt, err := svc.Unarchive(ctx, ref)
	switch {
	case err != nil:
		return wt, err
	case wt.State == orchestrator.WorktreeCreating:
		return wt, orchestrator.Errorf(orchestrator.CodeInvalid, "chat %s has no worktree yet: its first turn makes it", wt.Chat).WithHint("boo chat send -c %s …", wt.Chat)
	case wt.State == orchestrator.WorktreePurged:
		return wt, orchestrator.Errorf(orchestrator.CodeNotFound, "the archive of chat %s has ended: %s", wt.Chat, wt.Reason).WithHint(`boo chat send --new "what you want done"`)
	case wt.State != orchestrator.WorktreeActive:
		return wt, orchestrator.Errorf(orchestrator.CodeInvalid, "the worktree of chat %s is %s, not archived", wt.Chat, wt.State).WithHint("boo worktree repair %s", wt.Chat)
	}
	return wt, nil
}
