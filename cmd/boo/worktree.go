package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func worktreeCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "worktree",
		Usage: "the chats' worktrees: what they take, and what to do when one is lost",
		Subcommands: []*cli.Command{
			{
				Name:  "ls",
				Usage: "list the worktrees of this repository's chats",
				Flags: []cli.Flag{
					toggle("all", "those of all repositories", "a"),
					toggle("verbose", "also why snapshots were slower than they might be", "v"),
				},
				Action: func(c *cli.Context) error {
					if err := noArgs(c); err != nil {
						return err
					}
					return runWorktreeLs(c.Context, e, c.Bool("all"), c.Bool("verbose"))
				},
			},
			worktreeRiskCommand(e), worktreeArchiveCommand(e), worktreeRestoreCommand(e),
			{
				Name:      "repair",
				Usage:     "mend the worktree of a chat, or those of this repository",
				ArgsUsage: "[CHAT]",
				Description: "A worktree that was deleted comes back with the files of its newest snapshot, one that was\n" +
					"moved goes back, and links that were damaged are written anew. Every turn begins with the\n" +
					"same. Run it in a repository that was itself moved to have its chats follow.",
				Action: func(c *cli.Context) error {
					ref, err := chatArg(c, e)
					if err != nil {
						return err
					}
					return runWorktreeRepair(c.Context, e, ref)
				},
			},
		},
	}
}

func runWorktreeLs(ctx context.Context, e *env, all, verbose bool) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	list, err := svc.WorktreeList(ctx, e.Dir, all)
	if err != nil {
		return err
	}
	if e.JSON {
		for _, w := range list {
			if err := e.Stdout.JSON(w); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 {
		e.Stderr.Println(tty.Plain("no worktrees here yet; a chat makes one: "), tty.Bold(`boo chat send "what you want done"`))
		return nil
	}
	t := tty.Table{Path: 7, Right: map[int]bool{3: true, 4: true}}
	t.Row(tty.Dim("CHAT"), tty.Dim("STATE"), tty.Dim("BASE"), tty.Dim("DISK"), tty.Dim("SNAPSHOTS"), tty.Dim("MADE"), tty.Dim("USED"), tty.Dim("WORKTREE"))
	for _, w := range list {
		t.Row(tty.Cyan(string(w.Chat)), worktreeState(w), tty.Plain(w.Base.Short()), sizeSpan(w, w.Bytes), sizeSpan(w, w.Snapshots),
			tty.Plain(ago(e.Now(), w.Created)), tty.Plain(ago(e.Now(), w.LastUsed)), tty.Plain(string(w.Dir)))
	}
	t.Print(e.Stdout)
	for _, w := range list {
		if w.Fault != "" {
			e.Stderr.Println(tty.Yellow(string(w.Chat)+": "), tty.Plain(w.Fault+"; try: "), tty.Bold("boo worktree repair "+string(w.Chat)))
		}
		if verbose && w.ByGit.Count > 0 {
			e.Stderr.Println(tty.Cyan(string(w.Chat)+": "), tty.Plain(fmt.Sprintf("%s taken by git, which is slower than in process; the newest because %s", plural(w.ByGit.Count, "snapshot"), w.ByGit.Why)))
		}
	}
	return nil
}

// sizeSpan shows a size: with a tilde where the chat was used since it was
// measured, not at all where it never was.
func sizeSpan(w orchestrator.WorktreeInfo, n int64) tty.Span {
	switch {
	case w.Measured.IsZero():
		return tty.Dim("-")
	case w.Stale:
		return tty.Dim("~" + orchestrator.Bytes(n))
	}
	return tty.Plain(orchestrator.Bytes(n))
}

func worktreeState(w orchestrator.WorktreeInfo) tty.Span {
	switch {
	case w.Fault != "":
		return tty.Red(string(w.State))
	case w.State == orchestrator.WorktreeActive:
		return tty.Green(string(w.State))
	}
	return tty.Yellow(string(w.State))
}

func runWorktreeRepair(ctx context.Context, e *env, ref orchestrator.ChatRef) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	repairs, err := svc.Repair(ctx, ref)
	if err != nil {
		return err
	}
	var failed *orchestrator.WorktreeRepair
	for i, r := range repairs {
		if r.Hint != "" && failed == nil {
			failed = &repairs[i]
		}
		if e.JSON {
			if err := e.Stdout.JSON(r); err != nil {
				return err
			}
			continue
		}
		showRepair(e, r)
	}
	if failed != nil {
		return orchestrator.Errorf(orchestrator.CodeConflict, "the worktree of chat %s could not be mended: %s", failed.Chat, failed.Left).
			WithHint("%s", failed.Hint)
	}
	return nil
}

func showRepair(e *env, r orchestrator.WorktreeRepair) {
	for _, what := range r.Done {
		e.Stdout.Println(tty.Cyan(string(r.Chat)), tty.Plain("  "+what))
	}
	switch {
	case r.Left != "":
		e.Stdout.Println(tty.Cyan(string(r.Chat)), tty.Yellow(fmt.Sprintf("  left alone: %s", r.Left)))
	case len(r.Done) == 0:
		e.Stdout.Println(tty.Cyan(string(r.Chat)), tty.Dim("  nothing to mend"))
	}
}
