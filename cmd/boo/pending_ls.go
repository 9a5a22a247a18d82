package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func pendingLsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "ls",
		Usage:     "list the pending changes, a line for each path",
		ArgsUsage: "[PATH… | ID…]",
		Description: "Without --chat it lists what is pending in all chats of the repository, chat by chat;\n" +
			"apply, reject and the others take the chat last used then, which is the first.\n" +
			"A: added, M: modified, D: deleted, R: renamed, X: executable bit, T: became another kind of file.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "chat", Aliases: []string{"c"}, Usage: "only changes of `CHAT`"},
			toggle("all", "changes of every chat of every repository", "a"),
			agentFlag(),
		},
		Action: func(c *cli.Context) error {
			sel := reviewing(c, e)
			sel.All = sel.Chat == ""
			return runPendingLs(c.Context, e, sel)
		},
	}
}

func agentFlag() cli.Flag {
	return &cli.StringFlag{Name: "agent", Usage: "only changes that `AGENT` had a part in; \"you\" for your own"}
}

func runPendingLs(ctx context.Context, e *env, sel orchestrator.ReviewSelector) error {
	sel.Renames, sel.LeftOut = true, true
	sets, err := e.review(ctx, sel)
	if err != nil || len(sets) == 0 {
		return err
	}
	if e.JSON {
		for _, set := range sets {
			moved := movesOf(set)
			for _, c := range set.Changes {
				if err := e.Stdout.JSON(moved.view(c)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	grouped := len(sets) > 1 || sel.Everywhere || sel.Chat == "" && !sets[0].Last
	for i, set := range sets {
		if grouped {
			chatHeading(e, i, set, sel.Everywhere)
		}
		listSet(e, set)
		for _, p := range set.LeftOut {
			e.Stdout.Println(leftOut(p)...)
		}
	}
	if !slices.ContainsFunc(sets, func(s orchestrator.ChangeSet) bool { return len(s.Changes) > 0 }) {
		e.nothingPending()
		return nil
	}
	e.Stdout.Println(append(totals(sets), tty.Plain(" · changes from "+contributors(sets)))...)
	return nil
}

// review asks the service for changes to look at; a person is told when there
// are none.
func (e *env) review(ctx context.Context, sel orchestrator.ReviewSelector) ([]orchestrator.ChangeSet, error) {
	svc, err := e.service(ctx)
	if err != nil {
		return nil, err
	}
	sets, err := svc.Review(ctx, sel)
	switch {
	case err != nil || len(sets) > 0 || e.JSON:
	case sel.Turn != "":
		e.Stderr.Println(tty.Plain("turn " + sel.Turn + " changed no file"))
	case sel.Agent != "":
		e.Stderr.Println(tty.Plain("nothing of " + string(sel.Agent) + "'s is pending"))
	default:
		e.nothingPending()
	}
	return sets, err
}

func chatHeading(e *env, i int, set orchestrator.ChangeSet, withRepo bool) {
	if i > 0 {
		e.Stdout.Println()
	}
	line := []tty.Span{tty.Bold("chat " + string(set.Chat.ID)), tty.Plain("  " + set.Chat.Title)}
	if withRepo {
		line = append(line, tty.Dim("  in "+string(set.Chat.RepoRoot)))
	}
	if set.Last {
		line = append(line, tty.Dim("  (last used)"))
	}
	e.Stdout.Println(line...)
}

func listSet(e *env, set orchestrator.ChangeSet) {
	t := tty.Table{Path: 2, Right: map[int]bool{3: true, 4: true}}
	moved := movesOf(set)
	for _, c := range set.Changes {
		cells := append([]tty.Span{tty.Cyan(string(c.ID))}, moved.cells(c)...)
		cells = append(cells, tty.Plain(names(c.Agents())), tty.Dim(string(c.Turn)))
		if len(set.Checks) > 0 {
			cells = append(cells, checkMarks(set.Checks[c.ID]))
		}
		t.Row(append(cells, tty.Dim(moved.note(c)))...)
	}
	t.Print(e.Stdout)
}

// totals counts files and lines. A file that was moved is one file, with the
// lines that differ.
func totals(sets []orchestrator.ChangeSet) []tty.Span {
	var files, added, deleted int
	for _, set := range sets {
		moved := movesOf(set)
		for _, c := range set.Changes {
			if _, away := moved.from[c.Path]; away {
				continue
			}
			stat := moved.stat(c)
			files++
			added += stat.Added
			deleted += stat.Deleted
		}
	}
	return []tty.Span{tty.Plain(plural(files, "file") + ", "), tty.Green(fmt.Sprintf("+%d", added)), tty.Plain(" "), tty.Red(fmt.Sprintf("-%d", deleted))}
}
