package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

type logOptions struct {
	Ref    orchestrator.ChatRef
	Count  int // the newest so many events; 0 for all
	Filter logFilter
	Follow bool
	// Cleared is for what was in the log before it was cleared.
	Cleared bool
}

func chatLogCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "log",
		Usage:     "print what happened in a chat",
		ArgsUsage: "[CHAT]",
		Description: "With -f it goes on with what happens, in all turns of the chat, until Ctrl-C; the\n" +
			"turns go on without it. To see what happens, and a script where it left off:\n" +
			"  boo chat log -f\n" +
			"  boo chat log --json --since 120\n" +
			"  boo chat log --since 2h --filter tools,notices\n" +
			"  boo chat log --cleared",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Usage: "only the newest `COUNT` events"},
			&cli.StringFlag{Name: "since", Usage: "only events after `SEQ`, a number, or since a time ago (2h) or a moment (2026-03-01)"},
			filterFlag(),
			toggle("rebuild", "write the chat's file in the directory of session logs anew, and print where it is"),
			toggle("follow", "go on with what happens", "f"),
			clearedFlag(),
		},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			if c.IsSet("n") && c.Int("n") < 1 {
				return usageError(c, fmt.Errorf("-n wants a number above 0"), false)
			}
			if c.Bool("rebuild") {
				for _, other := range []string{"n", "follow", "filter", "since", "cleared"} {
					if c.IsSet(other) {
						return usageError(c, fmt.Errorf("--rebuild writes the whole log: --%s does not go with it", other), false)
					}
				}
				return runRebuildLog(c.Context, e, ref)
			}
			if c.Bool("cleared") && c.Bool("follow") {
				return usageError(c, fmt.Errorf("nothing is added to a log that was cleared: --follow does not go with --cleared"), false)
			}
			filter, err := parseFilter(c.StringSlice("filter"), c.String("since"), e.Now())
			if err != nil {
				return usageError(c, err, false)
			}
			return runChatLog(c.Context, e, logOptions{
				Ref: ref, Count: c.Int("n"), Filter: filter, Follow: c.Bool("follow"), Cleared: c.Bool("cleared"),
			})
		},
	}
}

func runRebuildLog(ctx context.Context, e *env, ref orchestrator.ChatRef) error {
	svc, err := e.turns(ctx)
	if err != nil {
		return err
	}
	path, err := svc.RebuildLog(ctx, ref, personEnviron(e.Environ()))
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(map[string]string{"path": path})
	}
	e.Stdout.Println(tty.Plain(path))
	return nil
}

func runChatLog(ctx context.Context, e *env, o logOptions) error {
	open := e.service
	if o.Follow {
		open = e.daemon
	}
	p, err := openPast(ctx, e, open, o.Ref, o.Cleared)
	if err != nil {
		return err
	}
	show, done := logPrinter(e, p.chat.Worktree.Dir, true)
	defer done()
	last, err := p.print(ctx, o.Count, o.Filter, show)
	if err != nil || !o.Follow {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	err = p.svc.FollowChat(ctx, p.chat.ID, last, func(ev orchestrator.Event) error {
		if o.Filter.takes(ev) {
			show(ev)
		}
		if e.gone() {
			return errReaderGone
		}
		return nil
	})
	if errors.Is(err, errReaderGone) {
		return nil // the exit status says it
	}
	return err
}

var errReaderGone = errors.New("nobody reads the output")
