package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func pendingShowCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show pending changes: who made them, and the patch",
		ArgsUsage: "[PATH… | ID…]",
		Flags:     []cli.Flag{chatFlag()},
		Action:    func(c *cli.Context) error { return runPendingShow(c.Context, e, selector(c, e)) },
	}
}

// runPendingShow shows each change under a heading that says whose it is.
func runPendingShow(ctx context.Context, e *env, sel orchestrator.ChangeSelector) error {
	changes, err := e.changes(ctx, sel)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		e.nothingPending()
		return nil
	}
	return e.paged(ctx, func(out *tty.Output) error {
		for i, c := range changes {
			var patch strings.Builder
			one := orchestrator.ChangeSelector{Dir: sel.Dir, Chat: string(c.Chat), Args: []string{string(c.ID)}}
			if err := e.svc.Patch(ctx, &patch, one); err != nil {
				return err
			}
			if e.JSON {
				if err := out.JSON(changePatchView{changeView: viewChange(c), Patch: patch.String()}); err != nil {
					return err
				}
				continue
			}
			if i > 0 {
				out.Println()
			}
			showChange(e, out, c)
			shown := tty.NewPatch(out)
			if _, err := shown.Write([]byte(patch.String())); err != nil {
				return nil // the reader has seen enough
			}
			if err := shown.Close(); err != nil {
				return nil
			}
		}
		return nil
	})
}

type changePatchView struct {
	changeView
	Patch string `json:"patch"`
}

func showChange(e *env, out *tty.Output, c orchestrator.Change) {
	heading := []tty.Span{tty.Cyan(string(c.ID)), tty.Plain("  "), opSpan(c.Op()), tty.Plain(" "), tty.Bold(c.Path.String() + "  ")}
	out.Println(append(heading, counts(c.Stat())...)...)
	var by []string
	for _, agent := range c.Agents() {
		var turns []string
		for _, who := range c.Contributors {
			if who.Agent == agent {
				turns = append(turns, string(who.Turn))
			}
		}
		word := " in turn "
		if agent == orchestrator.Person {
			word = " before turn "
		}
		by = append(by, string(agent)+word+strings.Join(turns, ", "))
	}
	out.Println(tty.Dim("by " + strings.Join(by, "; ") + " · " + ago(e.Now(), c.CreatedAt)))
}

func pendingDiffCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "print the pending changes as a patch that git apply takes",
		ArgsUsage: "[PATH… | ID…]",
		Description: "In a pipe the patch is byte for byte as git made it; on a terminal what could act on\n" +
			"the terminal is made visible, and the patch is shown in your pager.",
		Flags: []cli.Flag{chatFlag(), toggle("stat", "only how many lines of which files")},
		Action: func(c *cli.Context) error {
			return runPendingDiff(c.Context, e, selector(c, e), c.Bool("stat"))
		},
	}
}

func runPendingDiff(ctx context.Context, e *env, sel orchestrator.ChangeSelector, stat bool) error {
	changes, err := e.changes(ctx, sel)
	if err != nil {
		return err
	}
	switch {
	case len(changes) == 0:
		e.nothingPending()
		return nil
	case stat || e.JSON:
		return diffStat(e, changes)
	case !e.Stdout.Terminal():
		return e.svc.Patch(ctx, e.Stdout.Data(), sel)
	}
	return e.paged(ctx, func(out *tty.Output) error {
		shown := tty.NewPatch(out)
		if err := e.svc.Patch(ctx, shown, sel); err != nil && out.Err() == nil {
			return err
		}
		_ = shown.Close() // the reader has seen enough
		return nil
	})
}

func diffStat(e *env, changes []orchestrator.Change) error {
	t := tty.Table{Path: 0, Right: map[int]bool{1: true, 2: true}}
	var added, deleted int
	for _, c := range changes {
		stat := c.Stat()
		if e.JSON {
			if err := e.Stdout.JSON(stat); err != nil {
				return err
			}
			continue
		}
		added += stat.Added
		deleted += stat.Deleted
		t.Row(append([]tty.Span{tty.Plain(c.Path.String())}, countCells(stat)...)...)
	}
	if !e.JSON {
		t.Print(e.Stdout)
		e.Stdout.Println(tty.Plain(fmt.Sprintf("%s, ", plural(len(changes), "file"))), tty.Green(fmt.Sprintf("+%d", added)),
			tty.Plain(" "), tty.Red(fmt.Sprintf("-%d", deleted)))
	}
	return nil
}
