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
	Count  int              // the newest so many events; 0 for all
	Since  orchestrator.Seq // only events after this one
	Follow bool
}

func chatLogCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "log",
		Usage:     "print what happened in a chat",
		ArgsUsage: "[CHAT]",
		Description: "With -f it goes on with what happens, in all turns of the chat, until Ctrl-C; the\n" +
			"turns go on without it. To see what happens, and a script where it left off:\n" +
			"  boo chat log -f\n" +
			"  boo chat log --json --since 120",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Usage: "only the newest `COUNT` events"},
			&cli.Int64Flag{Name: "since", Usage: "only events after number `SEQ`"},
			toggle("follow", "go on with what happens", "f"),
		},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			if c.IsSet("n") && c.Int("n") < 1 {
				return usageError(c, fmt.Errorf("-n wants a number above 0"), false)
			}
			if c.Int64("since") < 0 {
				return usageError(c, fmt.Errorf("--since wants the number of an event"), false)
			}
			return runChatLog(c.Context, e, logOptions{
				Ref: ref, Count: c.Int("n"), Since: orchestrator.Seq(c.Int64("since")), Follow: c.Bool("follow"),
			})
		},
	}
}

const logPage = 1000

func runChatLog(ctx context.Context, e *env, o logOptions) error {
	open := e.service
	if o.Follow {
		open = e.daemon
	}
	svc, err := open(ctx)
	if err != nil {
		return err
	}
	detail, err := svc.Chat(ctx, o.Ref)
	if err != nil {
		return err
	}
	// The chat must not change under the pages when another one is used meanwhile.
	o.Ref.Prefix = string(detail.ID)
	show, done := logPrinter(e, detail.Worktree.Dir)
	defer done()
	last, err := printLog(ctx, e, svc, o, show)
	if err != nil || !o.Follow {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	err = svc.FollowChat(ctx, detail.ID, last, func(ev orchestrator.Event) error {
		show(ev)
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

// printLog prints what is stored, and returns the number of the last event.
func printLog(ctx context.Context, e *env, svc orchestrator.Service, o logOptions, show func(orchestrator.Event)) (orchestrator.Seq, error) {
	var newest []orchestrator.Event
	after := o.Since
	for !e.gone() {
		page, err := svc.Log(ctx, o.Ref, after, logPage)
		if err != nil {
			return after, err
		}
		for _, ev := range page {
			after = ev.Seq
			if o.Count == 0 {
				show(ev)
				continue
			}
			if newest = append(newest, ev); len(newest) > 2*o.Count {
				newest = append([]orchestrator.Event(nil), newest[len(newest)-o.Count:]...)
			}
		}
		if len(page) < logPage {
			break
		}
	}
	for _, ev := range newest[max(0, len(newest)-o.Count):] {
		show(ev)
	}
	return after, nil
}

// logPrinter returns how one event is printed, and what ends the printing. A
// log is data, so all of it goes to stdout.
func logPrinter(e *env, worktree orchestrator.WorktreeDir) (show func(orchestrator.Event), done func()) {
	if e.JSON {
		return func(ev orchestrator.Event) { _ = e.Stdout.JSON(ev) }, func() {}
	}
	view := newTurnView(tty.NewScreen(e.Stdout, e.Stdout, true), worktree)
	view.past = true
	show = func(ev orchestrator.Event) {
		if ev.Kind != orchestrator.EventPrompt {
			view.event(ev)
			return
		}
		view.screen.Break()
		view.line(tty.Bold("── you to "+string(ev.Agent)+" "), tty.Dim(ev.At.Local().Format("2006-01-02 15:04:05")+" "+string(ev.Turn)))
		view.screen.Stream(tty.Answer, ev.Text)
		view.screen.Break()
		view.line(tty.Bold("── " + string(ev.Agent)))
	}
	return show, view.close
}
