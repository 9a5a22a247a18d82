package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func pendingCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "pending",
		Usage: "review what agents changed, and take what you want",
		Subcommands: []*cli.Command{
			pendingLsCommand(e), pendingShowCommand(e), pendingDiffCommand(e), pendingBlameCommand(e), pendingConflictsCommand(e),
			pendingCheckCommand(e), pendingApplyCommand(e), pendingRejectCommand(e), pendingUndoCommand(e),
		},
	}
}

func chatFlag() cli.Flag {
	return &cli.StringFlag{Name: "chat", Aliases: []string{"c"}, Usage: "changes of `CHAT` (default: the one last used in this repository)"}
}

func selector(c *cli.Context, e *env) orchestrator.ChangeSelector {
	return orchestrator.ChangeSelector{Dir: e.Dir, Chat: c.String("chat"), Args: c.Args().Slice()}
}

// reviewing is selector for the commands that only look.
func reviewing(c *cli.Context, e *env) orchestrator.ReviewSelector {
	return orchestrator.ReviewSelector{
		ChangeSelector: selector(c, e), Everywhere: c.Bool("all"),
		Turn: c.String("turn"), Agent: orchestrator.AgentName(c.String("agent")),
	}
}

func (e *env) nothingPending() {
	if !e.JSON {
		e.Stderr.Println(tty.Plain("nothing is pending; have an agent work: "), tty.Bold(`boo chat send "what you want done"`))
	}
}

// nothingHere is for what is about one chat only: others may have changes.
func (e *env) nothingHere(chat string) {
	if e.JSON {
		return
	}
	which := "in the chat last used here"
	if chat != "" {
		which = "in chat " + chat
	}
	e.Stderr.Println(tty.Plain("nothing is pending "+which+"; what all of them have: "), tty.Bold("boo pending ls"))
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

// contributors names everybody who made these changes, in the order in which
// they come up.
func contributors(sets []orchestrator.ChangeSet) string {
	var all []orchestrator.AgentName
	for _, set := range sets {
		for _, c := range set.Changes {
			for _, a := range c.Agents() {
				if !slices.Contains(all, a) {
					all = append(all, a)
				}
			}
		}
	}
	return names(all)
}
