package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/doctor"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

type doctorOptions struct {
	Fix    bool
	Bundle string
}

func doctorCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "look for what is not as it should be, and mend what can be",
		Description: "It compares the store with repositories, worktrees, refs and processes, and looks at git,\n" +
			"the disk and the limits of this machine. Exit status 0 if nothing is wrong, 1 if something\n" +
			"is; a note is not. --fix does what stands behind \"fix:\", which removes nothing.\n" +
			"--bundle writes a report to pass on: versions, findings, counts of chats, turns, sessions\n" +
			"and worktrees by state, sizes, limits, which agents there are. No prompts, answers, titles,\n" +
			"contents, settings or environment; your home and repositories go by other names.\n" +
			"  boo doctor --fix\n" +
			"  boo doctor --bundle report.json",
		Flags: []cli.Flag{
			toggle("fix", "mend what can be mended"),
			&cli.StringFlag{Name: "bundle", Usage: "write a report to `FILE`, which must not be there yet"},
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runDoctor(c.Context, e, doctorOptions{Fix: c.Bool("fix"), Bundle: c.String("bundle")})
		},
	}
}

func runDoctor(ctx context.Context, e *env, o doctorOptions) error {
	ctx, stop := e.stoppable(ctx)
	defer stop()
	d, err := findDirs(e.Getenv)
	if err != nil {
		return err
	}
	var found []doctor.Finding
	vital := func(check string, err error) {
		found = append(found, doctor.Finding{
			Check: check, Level: doctor.Fault, What: err.Error(), Why: "without it no command works", Try: orchestrator.HintOf(err),
		})
	}
	c, err := readConfig(d.Config, e.Getenv("HOME"))
	if err != nil {
		vital("configuration", err)
		c = defaultConfig(e.Getenv("HOME"))
	}
	p, done, err := e.Doctor(ctx, d, c)
	if err != nil {
		vital("store", err)
	} else {
		defer func() { _ = done() }() // what was to be kept was kept before
		more, err := doctor.Examine(ctx, p)
		if err != nil {
			return err
		}
		found = append(found, more...)
	}
	if o.Bundle != "" {
		if err := writeBundle(ctx, e, d, p, found, o.Bundle); err != nil {
			return err
		}
	}
	return treat(ctx, e, found, o.Fix)
}

// treat shows the findings, and mends them as it goes if it is to.
func treat(ctx context.Context, e *env, found []doctor.Finding, fix bool) error {
	wrong, fixable := 0, 0
	for i := range found {
		f := &found[i]
		if !e.JSON {
			showFinding(e, *f)
		}
		if fix && f.Fix != "" {
			f.Mend(ctx)
			if !e.JSON {
				showMended(e, *f)
			}
		}
		if e.JSON {
			if err := e.Stdout.JSON(*f); err != nil {
				return err
			}
		}
		if f.Wrong() {
			wrong++
			if f.Fix != "" {
				fixable++
			}
		}
	}
	if wrong == 0 {
		if !e.JSON {
			e.Stderr.Println(tty.Green("nothing is wrong"))
		}
		return nil
	}
	err := orchestrator.Errorf(orchestrator.CodeInternal, "%s wrong", plural(wrong, "thing"))
	if fixable > 0 && !fix {
		err = err.WithHint("boo doctor --fix")
	}
	return err
}

func showFinding(e *env, f doctor.Finding) {
	mark := map[doctor.Level]tty.Span{doctor.Fault: tty.Red("✗ "), doctor.Warning: tty.Yellow("! "), doctor.Note: tty.Dim("· ")}[f.Level]
	about := f.Check
	if f.Subject != "" {
		about += " " + f.Subject
	}
	e.Stdout.Println(mark, tty.Bold(about), tty.Plain(": "+f.What))
	e.Stdout.Println(tty.Dim("  why: "), tty.Plain(f.Why))
	if f.Try != "" {
		e.Stdout.Println(tty.Dim("  try: "), tty.Plain(f.Try))
	}
	if f.Fix != "" {
		e.Stdout.Println(tty.Dim("  fix: "), tty.Plain(f.Fix))
	}
}

func showMended(e *env, f doctor.Finding) {
	if f.Fixed {
		e.Stdout.Println(tty.Green("  fixed"))
		return
	}
	e.Stdout.Println(tty.Red("  could not be fixed: "), tty.Plain(f.Problem))
}
