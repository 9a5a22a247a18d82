package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
	"boo/orchestrator/daemon"
)

func daemonStatusCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:        "status",
		Usage:       "show what the daemon does, and what it costs",
		Description: "Exit status 3 if there is none; none is started.",
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runDaemonStatus(c.Context, e)
		},
	}
}

// daemonView is the line of --json.
type daemonView struct {
	PID      int       `json:"pid"`
	Version  string    `json:"version"`
	Build    string    `json:"build"`
	Protocol int       `json:"protocol"`
	Socket   string    `json:"socket"`
	Started  time.Time `json:"started_at"`
	Uptime   int64     `json:"uptime_seconds"`
	Leaving  bool      `json:"leaving,omitempty"`
	Memory   int64     `json:"daemon_memory_bytes"`
	orchestrator.Status
}

func runDaemonStatus(ctx context.Context, e *env) error {
	link, err := e.link()
	if err != nil {
		return err
	}
	info, err := link.Info(ctx)
	if err != nil {
		return err
	}
	svc := link.Service()
	defer svc.Close()
	status, err := svc.Status(ctx)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(daemonView{
			PID: info.PID, Version: info.Version, Build: info.Build, Protocol: info.Protocol, Socket: info.Socket,
			Started: info.Started, Uptime: int64(e.Now().Sub(info.Started).Seconds()), Leaving: info.Leaving,
			Memory: info.Memory, Status: status,
		})
	}
	showDaemon(e, info, status)
	return nil
}

func showDaemon(e *env, info daemon.Info, s orchestrator.Status) {
	t := tty.Table{Path: -1}
	fact := func(name, value string) { t.Row(tty.Dim(name), tty.Plain(value)) }
	fact("daemon", fmt.Sprintf("process %d, boo %s, up since %s", info.PID, info.Version, info.Started.Local().Format(time.DateTime)))
	if info.Leaving {
		fact("", "ends as soon as its turns are over")
	}
	fact("socket", info.Socket)
	fact("turns", fmt.Sprintf("%d running, %d waiting", s.Running, s.Queued))
	for _, state := range slices.Sorted(maps.Keys(s.Sessions)) {
		fact("sessions", fmt.Sprintf("%d %s", s.Sessions[state], state))
	}
	for _, a := range s.Agents {
		how := "warm"
		if a.Busy {
			how = "busy"
		}
		fact("agent", fmt.Sprintf("%s, %s, process %d, %s in %s", a.Agent, how, a.PID, mebibytes(a.Memory), plural(a.Processes, "process")))
	}
	fact("memory", fmt.Sprintf("%s the daemon, %s the agents", mebibytes(info.Memory), mebibytes(s.Memory)))
	t.Print(e.Stdout)
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
