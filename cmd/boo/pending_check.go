package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func pendingCheckCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "run the repository's checks on what an apply would leave, and apply nothing",
		ArgsUsage: "[PATH… | ID…]",
		Description: "The [checks] of .boo.toml, once you have approved them (boo approve), run one after the\n" +
			"other in a worktree of their own: your checkout as it is now, with the changes, and the\n" +
			"ignored files that .worktreeinclude names. A red one is exit status 1. How they ended shows\n" +
			"in boo pending ls, and boo pending apply --require-checks does not run them again.",
		Flags: []cli.Flag{chatFlag(), shareFlag(), checkCommandFlag()},
		Action: func(c *cli.Context) error {
			checks, err := checkOptions(c)
			if err != nil {
				return err
			}
			checks.Anew = true
			return runPendingCheck(c.Context, e, selector(c, e), orchestrator.ApplyOptions{
				Agent: orchestrator.AgentName(c.String("agent")), Checks: checks,
			})
		},
	}
}

func checkCommandFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "check-cmd", Usage: "check with the shell command `CMD`, which needs no approval; more than one may be given"}
}

// checkOptions reads what the command line says of checks.
func checkOptions(c *cli.Context) (orchestrator.CheckOptions, error) {
	o := orchestrator.CheckOptions{Commands: c.StringSlice("check-cmd")}
	required, skipped := c.Bool("require-checks"), c.Bool("no-checks")
	switch {
	case slices.ContainsFunc(o.Commands, func(command string) bool { return strings.TrimSpace(command) == "" }):
		return o, orchestrator.Errorf(orchestrator.CodeInvalid, "--check-cmd is empty")
	case skipped && (required || len(o.Commands) > 0):
		return o, orchestrator.Errorf(orchestrator.CodeInvalid, "--no-checks takes back what --require-checks and --check-cmd ask for")
	case skipped:
		o.Mode = orchestrator.CheckSkipped
	case required:
		o.Mode = orchestrator.CheckRequired
	}
	return o, nil
}

func runPendingCheck(ctx context.Context, e *env, sel orchestrator.ChangeSelector, opts orchestrator.ApplyOptions) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	e.tellChecks(&opts.Checks)
	e.showOutput(&opts.Checks)
	result, err := svc.Check(ctx, sel, opts)
	if e.JSON {
		return e.decided(result, err)
	}
	showConflicts(e, result)
	if err != nil {
		return err
	}
	showLeft(e, result, "boo pending check")
	if len(result.Files) == 0 {
		if len(result.Left) == 0 {
			e.nothingHere(sel.Chat)
		}
		return nil
	}
	e.Stderr.Println(tty.Green("✓ "), tty.Plain(fmt.Sprintf("%s of %s passed on what an apply would leave; apply it with ",
		plural(len(result.Checks), "check"), plural(len(result.Files), "file"))), tty.Bold(checkedApply(sel, opts.Checks)))
	return nil
}

// checkedApply is the command that applies what passed the checks.
func checkedApply(sel orchestrator.ChangeSelector, o orchestrator.CheckOptions) string {
	words := []string{"boo pending apply"}
	if sel.Chat != "" {
		words = append(words, "-c "+sel.Chat)
	}
	if len(o.Commands) > 0 {
		words = append(words, "--check-cmd …")
	} else {
		words = append(words, "--require-checks")
	}
	return strings.Join(words, " ")
}

// tellChecks has a person told how the checks go: of a red one the end of what
// it wrote, unless all of it is shown.
func (e *env) tellChecks(o *orchestrator.CheckOptions) {
	if e.JSON {
		return
	}
	o.Began = func(c orchestrator.Check) {
		e.Stderr.Println(tty.Bold("check "+c.Name), tty.Dim("  "+c.Command))
	}
	o.Ended = func(r orchestrator.CheckResult) {
		if !r.OK() && o.Output == nil {
			lines := strings.Split(strings.TrimRight(r.Tail, "\n"), "\n")
			lines = lines[max(0, len(lines)-tailLines):]
			_, _ = e.Stderr.Write([]byte("  " + strings.Join(lines, "\n  ") + "\n")) // never fails
		}
		e.Stderr.Println(checkSpan(r), tty.Dim("  "+checkWords(r)))
	}
}

// tailLines is how much is shown of what a red check wrote.
const tailLines = 20

// checkText is a mark and the name of a check.
func checkText(r orchestrator.CheckResult) string {
	text := "✗ " + r.Name
	if r.OK() {
		text = "✓ " + r.Name
	}
	if r.Stale {
		text += " (stale)"
	}
	return text
}

func checkSpan(r orchestrator.CheckResult) tty.Span { return checkMarks([]orchestrator.CheckResult{r}) }

// checkMarks is checks in one cell, the worst of them giving its colour.
func checkMarks(results []orchestrator.CheckResult) tty.Span {
	var texts []string
	stale, failed := false, false
	for _, r := range results {
		texts = append(texts, checkText(r))
		stale, failed = stale || r.Stale, failed || !r.Stale && !r.OK()
	}
	text := strings.Join(texts, " ")
	switch {
	case failed:
		return tty.Red(text)
	case stale:
		return tty.Dim(text)
	}
	return tty.Green(text)
}

// checkWords says how a check ended.
func checkWords(r orchestrator.CheckResult) string {
	words := fmt.Sprintf("exit %d", r.Exit)
	switch {
	case r.TimedOut:
		words = "ended at its limit"
	case r.Exit < 0:
		words = "ended by a signal"
	case r.OK():
		words = "passed"
	}
	words += " after " + r.Took.Round(10*time.Millisecond).String()
	if r.Known {
		words += ", when it was run before on the same files"
	}
	return words
}
