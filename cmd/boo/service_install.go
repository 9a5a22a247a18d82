package main

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/cmd/boo/internal/unit"
	"boo/orchestrator"
)

// serviceOptions say which services, and whose.
type serviceOptions struct {
	System  bool
	User    string // of services of the whole machine
	Chat    string // persistent chat that is to be served too
	Launchd bool
}

func serviceCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "service",
		Usage: "have systemd run the daemon and the reaper",
		Subcommands: []*cli.Command{
			serviceSub(e, "install", "write, enable and start the units", `The daemon is told apart from one that a command has started: it lets that one's turns end,
and takes its place. To serve a persistent chat as well, and for the whole machine:
  boo service install --chat nightly
  sudo boo service install --system --user pat`, runServiceInstall),
			serviceSub(e, "print", "print the units, or launchd's property lists, and change nothing", `  boo service print --launchd`, runServicePrint,
				toggle("launchd", "in the form of macOS, for ~/Library/LaunchAgents")),
			serviceSub(e, "uninstall", "stop, disable and remove the units, or with --chat the one of that chat", `Turns that run are interrupted; what they wrote is kept and pending. Chats, worktrees and
settings stay.
  boo service uninstall`, runServiceUninstall),
			serviceSub(e, "status", "show how the units are doing", `Exit status 3 if the daemon is no service here, or does not run as one.
  boo service status --json`, runServiceStatus),
		},
	}
}

func serviceSub(e *env, name, usage, description string, run func(context.Context, *env, serviceOptions) error, more ...cli.Flag) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, Description: description,
		Flags: append([]cli.Flag{
			toggle("system", "those of the whole machine, not of your own systemd"),
			&cli.StringFlag{Name: "user", Usage: "with --system: `NAME` of whom boo and its agents run as (default: who called sudo)"},
			&cli.StringFlag{Name: "chat", Usage: "and the one that serves the persistent chat `NAME`"},
		}, more...),
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			o := serviceOptions{System: c.Bool("system"), User: c.String("user"), Chat: c.String("chat"), Launchd: c.Bool("launchd")}
			if o.User != "" && !o.System {
				return usageError(c, fmt.Errorf("--user goes with --system"), false)
			}
			return run(c.Context, e, o)
		},
	}
}

func runServicePrint(_ context.Context, e *env, o serviceOptions) error {
	files, err := serviceFiles(e, o)
	if err != nil {
		return err
	}
	for i, f := range files {
		if e.JSON {
			if err := e.Stdout.JSON(f); err != nil {
				return err
			}
			continue
		}
		if len(files) > 1 {
			if i > 0 {
				e.Stdout.Println()
			}
			e.Stderr.Println(tty.Dim(f.Path))
		}
		if _, err := io.WriteString(e.Stdout.Data(), f.Text); err != nil {
			return err
		}
	}
	return nil
}

// enabled lists the units that are started with the machine or the session.
func (o serviceOptions) enabled() []string {
	units := []string{unit.Daemon, unit.ReaperTimer}
	if o.Chat != "" {
		units = append(units, unit.AgentUnit(o.Chat))
	}
	return units
}

func runServiceInstall(ctx context.Context, e *env, o serviceOptions) error {
	ctx, stop := e.stoppable(ctx)
	defer stop()
	if o.Chat != "" && !o.System { // another's chats cannot be looked up
		name, err := servedName(ctx, e, o.Chat)
		if err != nil {
			return err
		}
		o.Chat = name
	}
	files, err := serviceFiles(e, o)
	if err != nil {
		return err
	}
	manager, err := e.systemd(ctx, o.System)
	if err != nil {
		return err
	}
	if err := writeUnits(files); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"daemon-reload"},
		append([]string{"enable"}, o.enabled()...),
		// Without waiting: it is ready when the turns of a daemon that runs are over.
		append([]string{"start", "--no-block"}, o.enabled()...),
	} {
		if _, err := manager.run(ctx, args...); err != nil {
			return orchestrator.Errorf(orchestrator.CodeInternal, "the units are written, but %w", err).WithHint("boo service status")
		}
	}
	for _, f := range files {
		if e.JSON {
			if err := e.Stdout.JSON(installedView{Path: f.Path}); err != nil {
				return err
			}
			continue
		}
		e.Stdout.Println(tty.Plain(f.Path))
	}
	if !e.JSON {
		e.Stderr.Println(tty.Plain("enabled and started; how they are doing: "), tty.Bold("boo service status"))
		if !o.System {
			e.Stderr.Println(tty.Plain("they end with your last session, unless: "), tty.Bold("loginctl enable-linger"))
		}
	}
	return nil
}

// servedName is what the chat goes by where no repository says which one is
// meant: its name if that is the only such one, else its id.
func servedName(ctx context.Context, e *env, name string) (string, error) {
	svc, err := e.service(ctx)
	if err != nil {
		return "", err
	}
	chat, err := svc.Chat(ctx, orchestrator.ChatRef{Dir: e.Dir, Prefix: name})
	if err != nil {
		return "", err
	}
	anywhere, err := svc.Chat(ctx, orchestrator.ChatRef{Dir: "/", Prefix: name})
	if err == nil && anywhere.ID == chat.ID && name == string(chat.Name) {
		return name, nil
	}
	return string(chat.ID), nil
}

type installedView struct {
	Path string `json:"path"`
}
