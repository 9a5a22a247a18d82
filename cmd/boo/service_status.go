package main

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"boo/cmd/boo/internal/tty"
	"boo/cmd/boo/internal/unit"
	"boo/orchestrator"
)

// unitView is one unit as systemd sees it; the line of --json.
type unitView struct {
	Unit     string `json:"unit"`
	Enabled  string `json:"enabled"` // in systemd's words, as the next three
	Active   string `json:"active"`
	Sub      string `json:"sub"`
	Result   string `json:"result"`
	PID      int    `json:"pid,omitempty"`
	Restarts int    `json:"restarts,omitempty"`
}

// unitProperties are what "systemctl show" is asked for.
var unitProperties = []string{"Id", "UnitFileState", "ActiveState", "SubState", "Result", "MainPID", "NRestarts"}

func runServiceStatus(ctx context.Context, e *env, o serviceOptions) error {
	m, err := e.systemd(ctx, o.System)
	if err != nil {
		return err
	}
	files, agents := m.installed()
	if len(files) == 0 {
		return orchestrator.Errorf(orchestrator.CodeNotFound, "boo is no service here").WithHint("boo service install")
	}
	if o.Chat != "" {
		agents = []string{unit.AgentUnit(o.Chat)}
	}
	units := append([]string{unit.Daemon, unit.ReaperTimer, unit.Reaper}, agents...)
	text, err := m.run(ctx, append([]string{"show", "--property=" + strings.Join(unitProperties, ",")}, units...)...)
	if err != nil {
		return err
	}
	views := parseUnits(text)
	if err := showUnits(e, views); err != nil {
		return err
	}
	for _, v := range views {
		if v.Unit == unit.Daemon && v.Active != "active" && v.Active != "activating" {
			return orchestrator.Errorf(orchestrator.CodeNotFound, "the daemon does not run as a service").
				WithHint("%s", m.command("start", unit.Daemon))
		}
	}
	return nil
}

// command is what a person types to do the same.
func (m systemd) command(args ...string) string {
	if m.system {
		return "sudo systemctl " + strings.Join(args, " ")
	}
	return "systemctl --user " + strings.Join(args, " ")
}

// parseUnits reads what "systemctl show" prints: NAME=value lines, an empty line
// between two units.
func parseUnits(text string) (views []unitView) {
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var v unitView
		for line := range strings.Lines(block) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			switch name {
			case "Id":
				v.Unit = value
			case "UnitFileState":
				v.Enabled = value
			case "ActiveState":
				v.Active = value
			case "SubState":
				v.Sub = value
			case "Result":
				v.Result = value
			case "MainPID":
				v.PID, _ = strconv.Atoi(value) // systemd writes a number
			case "NRestarts":
				v.Restarts, _ = strconv.Atoi(value)
			}
		}
		if v.Unit != "" {
			views = append(views, v)
		}
	}
	return views
}

func showUnits(e *env, views []unitView) error {
	t := tty.Table{Path: -1, Right: map[int]bool{4: true, 5: true}}
	t.Row(tty.Dim("UNIT"), tty.Dim("STATE"), tty.Dim("ENABLED"), tty.Dim("RESULT"), tty.Dim("PROCESS"), tty.Dim("RESTARTS"))
	for _, v := range views {
		if e.JSON {
			if err := e.Stdout.JSON(v); err != nil {
				return err
			}
			continue
		}
		state := tty.Plain(v.Active + " (" + v.Sub + ")")
		switch v.Active {
		case "active":
			state = tty.Green(v.Active + " (" + v.Sub + ")")
		case "failed":
			state = tty.Red(v.Active + " (" + v.Sub + ")")
		}
		t.Row(tty.Plain(filepath.Base(v.Unit)), state, tty.Plain(v.Enabled), tty.Plain(v.Result), number(v.PID), number(v.Restarts))
	}
	if !e.JSON {
		t.Print(e.Stdout)
	}
	return nil
}

// number is a count that is shown unless it is 0.
func number(n int) tty.Span {
	if n == 0 {
		return tty.Dim("-")
	}
	return tty.Plain(strconv.Itoa(n))
}
