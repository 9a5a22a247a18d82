package main

import (
	"context"
	"io"
	"log/slog"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/urfave/cli/v2"

	"boo/orchestrator/daemon"
)

// backgroundFlag tells a daemon that a command has started it: its output is its
// log, and somebody waits to hear that it is ready.
const backgroundFlag = "background"

// daemonRunOptions is how a daemon in this process talks.
type daemonRunOptions struct {
	Log   *slog.Logger
	Ready func() // called once it serves
}

func daemonRunCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:        "run",
		Usage:       "be the daemon, in the foreground, until a signal comes",
		Description: "For service managers: it speaks the protocol of systemd's Type=notify, watchdog included.",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: backgroundFlag, Hidden: true}},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runDaemon(c.Context, e, c.Bool(backgroundFlag))
		},
	}
}

func runDaemon(ctx context.Context, e *env, background bool) error {
	// The second signal ends the process as if nothing were there to catch it.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	context.AfterFunc(ctx, stop)
	o := daemonRunOptions{Log: newLog(e.Stderr), Ready: func() {}}
	if background {
		o.Ready = func() { daemon.TellReady(nil) }
	}
	d, c, err := e.settings()
	if err == nil && background {
		var file *daemon.LogFile
		if file, err = daemon.NewLogFile(filepath.Join(d.State, "daemon.log")); err == nil {
			o.Log = newLog(file)
		}
	}
	if err == nil {
		err = e.Serve(ctx, d, c, o)
	}
	if err != nil && background {
		daemon.TellReady(err)
	}
	return err
}

func newLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
