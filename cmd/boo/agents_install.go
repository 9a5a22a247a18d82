package main

import (
	"context"
	"fmt"

	"boo/backends"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func runAgentsInstall(ctx context.Context, e *env, name orchestrator.AgentName) error {
	tools, err := e.agents()
	if err != nil {
		return err
	}
	def, err := tools.Registry.Definition(name)
	if err != nil {
		return err
	}
	if def.Package.Name == "" {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "agent %s is your own: boo knows no package to install it from", name).
			WithHint("boo agents doctor %s", name)
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	path, err := installAgent(ctx, e, tools, def)
	if err != nil {
		return err
	}
	report, err := tools.Registry.Doctor(ctx, name, false)
	if err != nil {
		return err
	}
	if report.Protocol == "" {
		return orchestrator.Errorf(orchestrator.CodeAgent, "%s is installed, but does not answer: %s", name, report.Problem).
			WithHint("boo agents doctor %s", name)
	}
	if e.JSON {
		return e.Stdout.JSON(agentView{
			Name: def.Name, Title: def.Title, Protocol: def.Protocol, Installed: true, Path: path,
			Source: backends.SourceInstalled, Version: def.Package.Version, Pinned: def.Package.Version,
			Problem: report.Problem, Hint: report.Hint,
		})
	}
	e.Stdout.Println(tty.Plain(path))
	if report.Found != nil && report.Found.Source != backends.SourceInstalled {
		e.Stderr.Println(tty.Yellow("! "), tty.Plain("boo goes on using "+report.Found.Path+", from "+sourceWords[report.Found.Source]))
	}
	if report.Ready {
		e.Stderr.Println(tty.Green("✓ "), tty.Plain(fmt.Sprintf("it speaks %s, version %s, and is ready", report.Protocol, report.Version)))
		return nil
	}
	// The program is whole; what it lacks is the person's to give.
	e.Stderr.Println(tty.Yellow("! "), tty.Plain(fmt.Sprintf("it speaks %s, version %s, but cannot be used yet: %s", report.Protocol, report.Version, report.Problem)))
	if report.Hint != "" {
		e.Stderr.Println(tty.Dim("try: "), tty.Bold(report.Hint))
	}
	return nil
}

// installAgent installs an agent and shows how far it is.
func installAgent(ctx context.Context, e *env, tools agentTools, def backends.Definition) (string, error) {
	screen := tty.NewScreen(e.Stderr, e.Stderr, true)
	began := e.Now()
	told := false
	path, err := tools.Install(ctx, def, func(done, total int64, line string) {
		if e.JSON {
			return
		}
		if !screen.Redraws() {
			if !told {
				screen.Line(tty.Plain(fmt.Sprintf("installing %s %s (about %s)", def.Title, def.Package.Version, megabytes(total))))
			}
			told = true
			return
		}
		told = true
		screen.Live([][]tty.Span{{
			tty.Yellow("● "), tty.Plain(fmt.Sprintf("installing %s %s  %s of about %s  ", def.Title, def.Package.Version, megabytes(done), megabytes(total))),
			tty.Dim(line),
		}})
	})
	screen.Live(nil)
	if err == nil && !e.JSON {
		how := "is installed"
		if told {
			how = "installed in " + duration(e.Now().Sub(began))
		}
		screen.Line(tty.Green("✓ "), tty.Plain(fmt.Sprintf("%s %s %s", def.Title, def.Package.Version, how)))
	}
	screen.Close()
	return path, err
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }
