package main

import (
	"context"
	"io"
	"log/slog"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/urfave/cli/v2"

	"boo/orchestrator"
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
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: backgroundFlag, Hidden: true},
			toggle("replace", "let a daemon that runs end its turns, and take its place"),
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runDaemon(c.Context, e, c.Bool(backgroundFlag), c.Bool("replace"))
		},
	}
}

func runDaemon(ctx context.Context, e *env, background, replace bool) error {
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
	if err == nil && replace {
		err = replaceDaemon(ctx, e, d, o.Log)
	}
	if err == nil {
		err = e.Serve(ctx, d, c, o)
	}
	if err != nil && background {
		daemon.TellReady(err)
	}
	return err
}

// replaceDaemon waits for the end of the turns of a daemon that runs, and for its
// own.
func replaceDaemon(ctx context.Context, e *env, d dirs, log *slog.Logger) error {
	link, err := e.Daemon(d)
	if err != nil {
		return err
	}
	switch info, err := link.Info(ctx); {
	case orchestrator.CodeOf(err) == orchestrator.CodeNotFound:
		return nil
	case err != nil:
		return err
	default:
		log.Info("waiting for another daemon to end its turns", "pid", info.PID)
	}
	return link.Stop(ctx, true)
}

func newLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
