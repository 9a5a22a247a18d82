package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
)

func daemonCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "daemon",
		Usage: "the process that takes the turns and keeps agents warm",
		Description: "Commands that need it start it, one for each data directory; it need not be started\n" +
			"by hand. It ends by itself when its data directory is removed, and makes room for another\n" +
			"build of boo, or a changed configuration, as soon as no turn runs.",
		Subcommands: []*cli.Command{
			daemonStatusCommand(e), daemonStartCommand(e), daemonStopCommand(e), daemonRunCommand(e),
		},
	}
}

func daemonStartCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "start",
		Usage: "start the daemon in the background, if it does not run",
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			if _, err := e.daemon(c.Context); err != nil {
				return err
			}
			return runDaemonStatus(c.Context, e)
		},
	}
}

func daemonStopCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "stop",
		Usage: "end the daemon, and wait until it is gone",
		Description: "Turns that run are interrupted: what they wrote is kept and pending. With --when-idle they\n" +
			"and those that wait are taken first; Ctrl-C then ends the waiting, not the intent.",
		Flags: []cli.Flag{toggle("when-idle", "not before its turns are over")},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runDaemonStop(c.Context, e, c.Bool("when-idle"))
		},
	}
}

func runDaemonStop(ctx context.Context, e *env, whenIdle bool) error {
	ctx, stop := e.stoppable(ctx)
	defer stop()
	link, err := e.link()
	if err != nil {
		return err
	}
	if err := link.Stop(ctx, whenIdle); err != nil {
		return err
	}
	if !e.JSON {
		e.Stderr.Println(tty.Plain("the daemon has ended"))
	}
	return nil
}
