package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
			"are merged into them, and if one cannot be merged nothing is written at all (exit 8).\n" +
			"With --commit and --index only the change is committed or staged, whatever else you have\n" +
			"edited or staged. Your git hooks do not run: what was just applied could be one.\n" +
			"Checks run in a worktree of their own, on exactly what your checkout (or the new branch)\n" +
			"would have; if one is red, nothing is written (exit 1).",
		Flags: []cli.Flag{
			chatFlag(), shareFlag(), patchFlag(),
			toggle("check", "only say whether it would work; nothing is written"),
			toggle("index", "stage the changes too"),
			toggle("commit", "commit the changes alone, as you; the agents are co-authors. Needs -m"),
			&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "the commit's `MESSAGE`"},
			&cli.StringFlag{Name: "branch", Usage: "commit them to a new branch `NAME` at HEAD, and leave the checkout as it is"},
			&cli.StringFlag{Name: "conflicts", Usage: "`HOW` to treat lines that collide: refuse, or markers to write both sides (still exit 8)", Value: "refuse"},
			&cli.StringSliceFlag{Name: "allow", Usage: "take changes of a dangerous `KIND` all the same: " + dangerNames()},
			toggle("require-checks", "only if the [checks] of .boo.toml pass on exactly what would be there then"),
			checkCommandFlag(),
			toggle("no-checks", "even if .boo.toml requires checks"),
		},
		Action: func(c *cli.Context) error {
			opts, err := applyOptions(c)
			if err != nil {
				return err
			}
			return runPendingApply(c.Context, e, selector(c, e), opts, c.Bool("patch"))
		},
	}
}

func shareFlag() cli.Flag {
	return &cli.StringFlag{Name: "agent", Usage: "only the hunks that are wholly `AGENT`'s"}
}

func patchFlag() cli.Flag {
	return toggle("patch", "ask about each hunk", "p")
}

func dangerNames() string {
	var names []string
	for _, d := range orchestrator.Dangers() {
		names = append(names, string(d))
	}
	return strings.Join(names, ", ")
}

func applyOptions(c *cli.Context) (orchestrator.ApplyOptions, error) {
	opts := orchestrator.ApplyOptions{
		Check: c.Bool("check"), Index: c.Bool("index"), Commit: c.String("message"), Branch: c.String("branch"),
		Agent: orchestrator.AgentName(c.String("agent")),
	}
	switch {
	case c.IsSet("branch") && strings.TrimSpace(opts.Branch) == "":
		return opts, orchestrator.Errorf(orchestrator.CodeInvalid, "--branch is empty").WithHint("boo pending apply --branch NAME")
	case c.Bool("commit") && strings.TrimSpace(opts.Commit) == "":
		return opts, orchestrator.Errorf(orchestrator.CodeInvalid, "--commit needs a message").WithHint("boo pending apply --commit -m MESSAGE")
	case c.Bool("commit") && opts.Branch != "":
		return opts, orchestrator.Errorf(orchestrator.CodeInvalid, "--branch commits already, to the new branch").WithHint("boo pending apply --branch NAME -m MESSAGE")
	case c.IsSet("message") && !c.Bool("commit") && opts.Branch == "":
		return opts, orchestrator.Errorf(orchestrator.CodeInvalid, "-m is the message of a commit").WithHint("boo pending apply --commit -m MESSAGE")
	}
	var err error
	if opts.Checks, err = checkOptions(c); err != nil {
		return opts, err
	}
	switch how := c.String("conflicts"); how {
	case "refuse":
	case "markers":
		opts.Markers = true
	default:
		return opts, orchestrator.Errorf(orchestrator.CodeInvalid, "--conflicts is refuse or markers, not %q", how)
	}
	for _, name := range c.StringSlice("allow") {
		d := orchestrator.Danger(name)
		if !slices.Contains(orchestrator.Dangers(), d) {
			return opts, orchestrator.Errorf(orchestrator.CodeInvalid, "--allow is one of %s, not %q", dangerNames(), name)
		}
		opts.Allow = append(opts.Allow, d)
	}
	return opts, nil
}

func runPendingApply(ctx context.Context, e *env, sel orchestrator.ChangeSelector, opts orchestrator.ApplyOptions, ask bool) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	if ask {
		if sel.Args, opts.Hunks, err = e.askHunks(ctx, sel, "Apply", opts.Agent); err != nil || sel.Args == nil {
			return err
		}
	}
	e.tellChecks(&opts.Checks)
	result, err := svc.Apply(ctx, sel, opts)
	if e.JSON {
		return e.decided(result, err)
	}
	showConflicts(e, result)
	if err != nil && result.State != orchestrator.ApplyApplied {
		return err
	}
	showLeft(e, result, "boo pending apply")
	switch {
	case len(result.Files) == 0 && len(result.Left) > 0, len(result.Files) == 0 && opts.Agent != "":
		e.Stderr.Println(tty.Plain("no hunk is wholly of " + string(opts.Agent) + "; nothing was changed"))
		return err
	case len(result.Files) == 0:
		e.nothingHere(sel.Chat)
		return err
	case opts.Check:
		showFiles(e, result)
		e.Stderr.Println(tty.Green("✓ "), tty.Plain(plural(len(result.Files), "file")+" would be applied to "+string(result.Checkout)+"; nothing was written"))
		return err
	}
	showApplied(e, result, appliedWords(result, opts))
	if err == nil {
		nextAfterApply(e, result, opts)
	}
	return err
}

// decided writes the result of an apply, reject or undo as JSON.
func (e *env) decided(result orchestrator.ApplyResult, err error) error {
	if err == nil || len(result.Conflict) > 0 || len(result.Checks) > 0 || result.State == orchestrator.ApplyApplied {
		if jsonErr := e.Stdout.JSON(result); jsonErr != nil {
			return jsonErr
		}
	}
	return err
}

func appliedWords(r orchestrator.ApplyResult, opts orchestrator.ApplyOptions) string {
	switch {
	case opts.Branch != "":
		return fmt.Sprintf("committed as %s to the new branch %s of", r.Commit.Short(), opts.Branch)
	case r.Commit != "":
		return fmt.Sprintf("applied and committed as %s to %s in", r.Commit.Short(), strings.TrimPrefix(r.Ref, "refs/heads/"))
	case r.Staged:
		return "applied and staged in"
	}
	return "applied to"
}

func nextAfterApply(e *env, r orchestrator.ApplyResult, opts orchestrator.ApplyOptions) {
	what, see := "they are edits in your checkout: see ", "git diff"
	switch {
	case opts.Branch != "":
		what, see = "your checkout is as it was: see ", "git show "+opts.Branch
	case r.Commit != "":
		what, see = "see ", "git show"
	case r.Staged:
		see = "git diff --cached"
	}
	e.Stderr.Println(tty.Dim(what), tty.Bold(see), tty.Dim("; take them back with "), tty.Bold("boo pending undo"))
}

func showConflicts(e *env, result orchestrator.ApplyResult) {
	for _, c := range result.Conflict {
		reason, refused := strings.CutPrefix(c.Reason, "refused: ")
		word := "conflict  "
		if refused {
			word = "refused  "
		}
		e.Stderr.Println(tty.Red(word), tty.Plain(c.Path.String()+": "+reason))
	}
}

// showLeft says which hunks stay pending because several had a part in them.
func showLeft(e *env, result orchestrator.ApplyResult, command string) {
	for _, l := range result.Left {
		e.Stderr.Println(tty.Yellow("left  "), tty.Plain(fmt.Sprintf("%s: %s by %s together", l.Path, plural(l.Hunks, "hunk"), names(l.Agents))),
			tty.Dim("  "+command+" -p "+l.Path.String()))
	}
}

func showFiles(e *env, result orchestrator.ApplyResult) {
	t := tty.Table{Path: 1, Right: map[int]bool{2: true, 3: true}}
	for _, f := range result.Files {
		var notes []string
		for _, n := range []struct {
			holds bool
			words string
		}{{f.Part, "a part of it"}, {f.Marked, "with conflict markers"}, {f.Merged && !f.Marked, "merged with your edits"}, {f.Already, "was there already"}} {
			if n.holds {
				notes = append(notes, n.words)
			}
		}
		t.Row(append(append([]tty.Span{opSpan(f.Op), tty.Plain(f.Path.String())}, countCells(f.FileStat)...), tty.Dim(strings.Join(notes, ", ")))...)
	}
	t.Print(e.Stdout)
}

func showApplied(e *env, result orchestrator.ApplyResult, word string) {
	showFiles(e, result)
	if result.Unchecked {
		e.Stderr.Println(tty.Red("NOT CHECKED  "), tty.Plain(".boo.toml wants changes to be checked before they are applied; --no-checks left that out"))
	}
	e.Stderr.Println(tty.Green("✓ "), tty.Plain(fmt.Sprintf("%s %s %s", plural(len(result.Files), "file"), word, result.Checkout)))
}
