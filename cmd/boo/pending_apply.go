package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func pendingApplyCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "apply",
		Usage:     "put pending changes into your checkout, as edits that are not committed",
		ArgsUsage: "[PATH… | ID…]",
		Description: "Without arguments all changes of the chat are applied. Your own edits stay: the changes\n" +
			"are merged into them, and if one cannot be merged nothing is written at all (exit 8).",
		Flags:  []cli.Flag{chatFlag()},
		Action: func(c *cli.Context) error { return runPendingApply(c.Context, e, selector(c, e)) },
	}
}

func runPendingApply(ctx context.Context, e *env, sel orchestrator.ChangeSelector) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	result, err := svc.Apply(ctx, sel)
	if e.JSON {
		if err == nil || len(result.Conflict) > 0 {
			if jsonErr := e.Stdout.JSON(result); jsonErr != nil {
				return jsonErr
			}
		}
		return err
	}
	showConflicts(e, result)
	if err != nil {
		return err
	}
	if len(result.Files) == 0 {
		e.nothingPending()
		return nil
	}
	showApplied(e, result, "applied to")
	e.Stderr.Println(tty.Dim("they are edits in your checkout: see "), tty.Bold("git diff"), tty.Dim("; take them back with "), tty.Bold("boo pending undo"))
	return nil
}

func pendingUndoCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "undo",
		Usage: "take back the last apply to this checkout",
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runPendingUndo(c.Context, e)
		},
	}
}

func runPendingUndo(ctx context.Context, e *env) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	result, err := svc.Undo(ctx, e.Dir)
	if e.JSON {
		if err == nil || len(result.Conflict) > 0 {
			if jsonErr := e.Stdout.JSON(result); jsonErr != nil {
				return jsonErr
			}
		}
		return err
	}
	showConflicts(e, result)
	if err != nil {
		return err
	}
	showApplied(e, result, "taken back from")
	e.Stderr.Println(tty.Dim("the changes are pending again: "), tty.Bold("boo pending ls"))
	return nil
}

func showConflicts(e *env, result orchestrator.ApplyResult) {
	for _, c := range result.Conflict {
		e.Stderr.Println(tty.Red("conflict  "), tty.Plain(c.Path.String()+": "+c.Reason))
	}
}

func showApplied(e *env, result orchestrator.ApplyResult, word string) {
	t := tty.Table{Path: 1, Right: map[int]bool{2: true, 3: true}}
	for _, f := range result.Files {
		note := ""
		switch {
		case f.Merged:
			note = "merged with your edits"
		case f.Already:
			note = "was there already"
		}
		t.Row(append(append([]tty.Span{opSpan(f.Op), tty.Plain(f.Path.String())}, countCells(f.FileStat)...), tty.Dim(note))...)
	}
	t.Print(e.Stdout)
	for _, p := range result.Skipped {
		e.Stderr.Println(tty.Yellow("left out  "), tty.Plain(p.Path.String()+": "+p.Reason))
	}
	e.Stderr.Println(tty.Green("✓ "), tty.Plain(fmt.Sprintf("%s %s %s", plural(len(result.Files), "file"), word, result.Checkout)))
}
