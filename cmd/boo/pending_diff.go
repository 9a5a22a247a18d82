package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

type diffOptions struct {
	orchestrator.ReviewSelector
	Stat  bool
	Words bool
}

func pendingDiffCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "print the changes as a patch that git apply takes",
		ArgsUsage: "[PATH… | ID…]",
		Description: "In a pipe the patch is byte for byte as git made it; on a terminal what could act on\n" +
			"the terminal is made visible, binary and huge files are summed up, and it is shown in your pager.",
		Flags: []cli.Flag{
			chatFlag(), turnFlag(), agentFlag(),
			toggle("stat", "only how many lines of which files"),
			toggle("word-diff", "word by word: [-taken away-] and {+put there+}, or in colour"),
		},
		Action: func(c *cli.Context) error {
			o := diffOptions{ReviewSelector: reviewing(c, e), Stat: c.Bool("stat"), Words: c.Bool("word-diff")}
			if o.Words && (o.Stat || e.JSON) {
				return usageError(c, errors.New("--word-diff is for reading: it goes with neither --stat nor --json"), false)
			}
			return runPendingDiff(c.Context, e, o)
		},
	}
}

func runPendingDiff(ctx context.Context, e *env, o diffOptions) error {
	o.Renames, o.Sizes = o.Stat || e.JSON, e.Stdout.Terminal()
	sets, err := e.review(ctx, o.ReviewSelector)
	switch {
	case err != nil || len(sets) == 0:
		return err
	case o.Stat:
		return diffStat(e, sets)
	case e.JSON:
		return e.patchViews(ctx, sets)
	case o.Words:
		return e.showWords(ctx, sets)
	}
	if !e.Stdout.Terminal() {
		for _, set := range sets {
			if err := e.svc.WriteDiff(ctx, e.Stdout.Data(), set, set.Changes, false); err != nil {
				return err
			}
		}
		return nil
	}
	return e.paged(ctx, func(out *tty.Output) error {
		for _, set := range sets {
			if err := e.showSet(ctx, out, set, func(_ int, c orchestrator.Change, _ moves) {
				if c.Bulky() {
					out.Println(tty.Bold(c.Path.String()))
				}
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// showWords shows patches word by word.
func (e *env) showWords(ctx context.Context, sets []orchestrator.ChangeSet) error {
	return e.paged(ctx, func(out *tty.Output) error {
		for _, set := range sets {
			shown := tty.NewWords(out)
			err := errors.Join(e.svc.WriteDiff(ctx, shown, set, set.Changes, true), shown.Close())
			if out.Err() != nil {
				return nil // the reader has seen enough
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func diffStat(e *env, sets []orchestrator.ChangeSet) error {
	t := tty.Table{Path: 0, Right: map[int]bool{1: true, 2: true}}
	for _, set := range sets {
		m := movesOf(set)
		for _, c := range set.Changes {
			if e.JSON {
				if err := e.Stdout.JSON(m.view(c)); err != nil {
					return err
				}
				continue
			}
			if _, away := m.from[c.Path]; !away {
				t.Row(append(m.cells(c)[1:], tty.Dim(m.note(c)))...)
			}
		}
	}
	if !e.JSON {
		t.Print(e.Stdout)
		e.Stdout.Println(totals(sets)...)
	}
	return nil
}
