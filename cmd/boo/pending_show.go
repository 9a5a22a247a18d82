package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func pendingShowCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show changes: who made them, and the patch of each",
		ArgsUsage: "[PATH… | ID…]",
		Description: "Binary files, and files with thousands of changed lines, are summed up;\n" +
			"boo pending diff PATH has them whole.",
		Flags:  []cli.Flag{chatFlag(), turnFlag(), agentFlag()},
		Action: func(c *cli.Context) error { return runPendingShow(c.Context, e, reviewing(c, e)) },
	}
}

func turnFlag() cli.Flag {
	return &cli.StringFlag{Name: "turn", Usage: "what turn `N` of the chat did, instead of what is pending; with --agent you, what you did before it"}
}

// runPendingShow shows each change under a heading that says whose it is.
func runPendingShow(ctx context.Context, e *env, sel orchestrator.ReviewSelector) error {
	sel.Renames, sel.Sizes = true, !e.JSON
	sets, err := e.review(ctx, sel)
	if err != nil || len(sets) == 0 {
		return err
	}
	if e.JSON {
		return e.patchViews(ctx, sets)
	}
	return e.paged(ctx, func(out *tty.Output) error {
		for i, set := range sets {
			if i > 0 {
				out.Println()
			}
			dangers, err := e.svc.Dangers(ctx, set)
			if err != nil {
				return err
			}
			if err := e.showSet(ctx, out, set, func(i int, c orchestrator.Change, m moves) {
				if i > 0 {
					out.Println()
				}
				showChange(e, out, set, c, m)
				if d, ok := dangers[c.Path]; ok {
					out.Println(tty.Red("DANGER  "), tty.Bold(strings.TrimPrefix(d.Reason, "refused: ")))
				}
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// showSet shows the patches of a set to a person, each after its heading, and
// of what would be too much only how much it is. A person who has seen enough
// is no failure.
func (e *env) showSet(ctx context.Context, out *tty.Output, set orchestrator.ChangeSet, heading func(int, orchestrator.Change, moves)) error {
	m, shown := movesOf(set), tty.NewPatch(out)
	split := newSplitter(set.Changes, func(i int) error {
		if err := shown.Close(); err != nil {
			return err
		}
		c := set.Changes[i]
		heading(i, c, m)
		if c.Bulky() {
			out.Println(tty.Yellow(summed(set, c)), tty.Dim("  boo pending diff "+c.Path.String()))
		}
		return out.Err()
	}, func(_ int, line []byte) error {
		_, err := shown.Write(line)
		return err
	})
	err := e.svc.WriteDiff(ctx, split, set, slices.DeleteFunc(slices.Clone(set.Changes), func(c orchestrator.Change) bool { return c.Bulky() }), false)
	err = errors.Join(err, split.Close(), shown.Close())
	if out.Err() != nil {
		return nil
	}
	return err
}

// patchViews writes each change with its whole patch.
func (e *env) patchViews(ctx context.Context, sets []orchestrator.ChangeSet) error {
	for _, set := range sets {
		dangers, err := e.svc.Dangers(ctx, set)
		if err != nil {
			return err
		}
		m := movesOf(set)
		var patch strings.Builder
		done := func(end int) error {
			if end == 0 {
				return nil
			}
			view := changePatchView{changeView: m.view(set.Changes[end-1]), Patch: patch.String()}
			view.Danger = strings.TrimPrefix(dangers[set.Changes[end-1].Path].Reason, "refused: ")
			patch.Reset()
			return e.Stdout.JSON(view)
		}
		split := newSplitter(set.Changes, done, func(_ int, line []byte) error {
			patch.Write(line)
			return nil
		})
		if err := e.svc.WriteDiff(ctx, split, set, set.Changes, false); err != nil {
			return err
		}
		if err := errors.Join(split.Close(), done(len(set.Changes))); err != nil {
			return err
		}
	}
	return nil
}

func showChange(e *env, out *tty.Output, set orchestrator.ChangeSet, c orchestrator.Change, m moves) {
	cells := m.cells(c)
	heading := []tty.Span{tty.Cyan(string(c.ID)), tty.Plain("  "), cells[0], tty.Plain(" "), cells[1], tty.Plain("  ")}
	if c.ID == "" {
		heading = heading[2:]
	}
	heading = append(heading, counts(m.stat(c))...)
	if note := m.note(c); note != "" {
		heading = append(heading, tty.Yellow("  "+note))
	}
	out.Println(heading...)
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
	line := "by " + strings.Join(by, "; ")
	if !set.Last {
		line += " · chat " + string(c.Chat)
	}
	out.Println(tty.Dim(line + " · " + ago(e.Now(), c.CreatedAt)))
	for _, r := range set.Checks[c.ID] {
		out.Println(checkSpan(r), tty.Dim("  "+checkWords(r)+" · "+ago(e.Now(), r.At)))
	}
}
