package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func pendingCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "pending",
		Usage: "review what agents changed, and take what you want",
		Subcommands: []*cli.Command{
			pendingLsCommand(e), pendingShowCommand(e), pendingDiffCommand(e), pendingApplyCommand(e), pendingUndoCommand(e),
		},
	}
}

func chatFlag() cli.Flag {
	return &cli.StringFlag{Name: "chat", Aliases: []string{"c"}, Usage: "changes of `CHAT` (default: the one last used in this repository)"}
}

func allFlag() cli.Flag {
	return toggle("all", "changes of all chats of this repository", "a")
}

func selector(c *cli.Context, e *env) orchestrator.ChangeSelector {
	return orchestrator.ChangeSelector{Dir: e.Dir, Chat: c.String("chat"), All: c.Bool("all"), Args: c.Args().Slice()}
}

func pendingLsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "ls",
		Usage:     "list the pending changes, a line for each path",
		ArgsUsage: "[PATH… | ID…]",
		Flags:     []cli.Flag{chatFlag(), allFlag()},
		Action:    func(c *cli.Context) error { return runPendingLs(c.Context, e, selector(c, e)) },
	}
}

func runPendingLs(ctx context.Context, e *env, sel orchestrator.ChangeSelector) error {
	changes, err := e.changes(ctx, sel)
	if err != nil {
		return err
	}
	if e.JSON {
		for _, c := range changes {
			if err := e.Stdout.JSON(viewChange(c)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(changes) == 0 {
		e.nothingPending()
		return nil
	}
	t := tty.Table{Path: 2, Right: map[int]bool{3: true, 4: true}}
	var added, deleted int
	for _, c := range changes {
		stat := c.Stat()
		added += stat.Added
		deleted += stat.Deleted
		cells := []tty.Span{tty.Cyan(string(c.ID)), opSpan(stat.Op), tty.Plain(c.Path.String())}
		cells = append(cells, countCells(stat)...)
		cells = append(cells, tty.Plain(names(c.Agents())), tty.Dim(string(c.Turn)))
		if sel.All {
			cells = append(cells, tty.Dim(string(c.Chat)))
		}
		t.Row(cells...)
	}
	t.Print(e.Stdout)
	e.Stdout.Println(tty.Plain(fmt.Sprintf("%s, ", plural(len(changes), "file"))), tty.Green(fmt.Sprintf("+%d", added)), tty.Plain(" "),
		tty.Red(fmt.Sprintf("-%d", deleted)), tty.Plain(" · changes from "+contributors(changes)))
	return nil
}

// changes asks the service for pending changes.
func (e *env) changes(ctx context.Context, sel orchestrator.ChangeSelector) ([]orchestrator.Change, error) {
	svc, err := e.service(ctx)
	if err != nil {
		return nil, err
	}
	return svc.Changes(ctx, sel)
}

func (e *env) nothingPending() {
	if !e.JSON {
		e.Stderr.Println(tty.Plain("nothing is pending; have an agent work: "), tty.Bold(`boo chat send "what you want done"`))
	}
}

func opSpan(op orchestrator.ChangeOp) tty.Span {
	switch op {
	case orchestrator.OpCreate:
		return tty.Green("A")
	case orchestrator.OpDelete:
		return tty.Red("D")
	case orchestrator.OpEdit:
		return tty.Yellow("M")
	case orchestrator.OpMode:
		return tty.Yellow("X")
	}
	return tty.Yellow("T")
}

func countCells(f orchestrator.FileStat) []tty.Span {
	if f.Binary {
		return []tty.Span{tty.Dim("bin"), tty.Plain("")}
	}
	return []tty.Span{tty.Green(fmt.Sprintf("+%d", f.Added)), tty.Red(fmt.Sprintf("-%d", f.Deleted))}
}

// contributors names everybody who made these changes.
func contributors(changes []orchestrator.Change) string {
	var all []string
	seen := map[orchestrator.AgentName]bool{}
	for _, c := range changes {
		for _, a := range c.Agents() {
			if !seen[a] {
				seen[a] = true
				all = append(all, string(a))
			}
		}
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}
