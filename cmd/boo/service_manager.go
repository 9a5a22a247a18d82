package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"boo/cmd/boo/internal/foreground"
	"boo/cmd/boo/internal/tty"
	"boo/cmd/boo/internal/unit"
	"boo/orchestrator"
)

// systemd is a service manager: the machine's, or the person's own.
type systemd struct {
	e      *env
	system bool
}

// systemd finds the service manager. CodeNotFound where there is none.
func (e *env) systemd(ctx context.Context, system bool) (systemd, error) {
	m := systemd{e, system}
	var err error
	if foreground.Found("systemctl") {
		if _, err = m.run(ctx, "show", "--property=Version"); err == nil || ctx.Err() != nil {
			return m, err
		}
	} else {
		err = fmt.Errorf("there is no systemctl")
	}
	return m, orchestrator.Errorf(orchestrator.CodeNotFound, "no systemd to hand services to: %w; nothing was done; "+
		"another manager can run boo daemon run, which ends with TERM, and every ten minutes boo reaper run; boo service print --launchd is for macOS", err).
		WithHint("boo daemon run")
}

// run runs systemctl and returns what it prints.
func (m systemd) run(ctx context.Context, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	command := []string{"systemctl"}
	if !m.system {
		command = append(command, "--user")
	}
	err := m.e.Run(ctx, foreground.Program{Args: append(command, args...), Stdout: &stdout, Stderr: &stderr})
	if err != nil {
		if said := strings.TrimSpace(stderr.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, tty.Cut(tty.Line(said), 300))
		}
		return "", fmt.Errorf("%s: %w", args[0], err)
	}
	return stdout.String(), nil
}

// installed lists the units that boo has written, and the chats' that are enabled.
func (m systemd) installed() (files, agents []string) {
	dir := unitDir(m.e.Getenv, m.system)
	for _, name := range []string{unit.Daemon, unit.Reaper, unit.ReaperTimer, unit.Agent} {
		if ours, err := isOurUnit(filepath.Join(dir, name)); err == nil && ours {
			files = append(files, filepath.Join(dir, name))
		}
	}
	for _, target := range []string{"default.target", "multi-user.target"} {
		links, _ := os.ReadDir(filepath.Join(dir, target+".wants"))
		for _, link := range links {
			if strings.HasPrefix(link.Name(), "boo-agent@") {
				agents = append(agents, link.Name())
			}
		}
	}
	return files, agents
}

func runServiceUninstall(ctx context.Context, e *env, o serviceOptions) error {
	ctx, stop := e.stoppable(ctx)
	defer stop()
	m, err := e.systemd(ctx, o.System)
	if err != nil {
		return err
	}
	files, agents := m.installed()
	if len(files) == 0 {
		if !e.JSON {
			e.Stderr.Println(tty.Plain("boo is no service here; nothing was done"))
		}
		return nil
	}
	units := append([]string{unit.Daemon, unit.ReaperTimer}, agents...)
	if o.Chat != "" {
		units, files = []string{unit.AgentUnit(o.Chat)}, nil
	}
	if _, err := m.run(ctx, append([]string{"disable", "--now"}, units...)...); err != nil {
		return orchestrator.Errorf(orchestrator.CodeInternal, "%w; the units are still there", err).WithHint("boo service status")
	}
	for _, path := range files {
		if err := os.Remove(path); err != nil {
			return unitDenied(err)
		}
		if e.JSON {
			if err := e.Stdout.JSON(removedView{path}); err != nil {
				return err
			}
		}
	}
	if _, err := m.run(ctx, "daemon-reload"); err != nil {
		return err
	}
	if !e.JSON {
		e.Stderr.Println(tty.Plain("stopped, disabled and removed: " + strings.Join(units, ", ")))
	}
	return nil
}

type removedView struct {
	Removed string `json:"removed"`
}
