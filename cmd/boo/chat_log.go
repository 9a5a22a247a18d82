package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

type logOptions struct {
	Ref   orchestrator.ChatRef
	Count int // the newest so many events; 0 for all
}

func chatLogCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "log",
		Usage:     "print what happened in a chat",
		ArgsUsage: "[CHAT]",
		Flags:     []cli.Flag{&cli.IntFlag{Name: "n", Usage: "only the newest `COUNT` events"}},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			if c.IsSet("n") && c.Int("n") < 1 {
				return usageError(c, fmt.Errorf("-n wants a number above 0"), false)
			}
			return runChatLog(c.Context, e, logOptions{Ref: ref, Count: c.Int("n")})
		},
	}
}

const logPage = 1000

func runChatLog(ctx context.Context, e *env, o logOptions) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	detail, err := svc.Chat(ctx, o.Ref)
	if err != nil {
		return err
	}
	// The chat must not change under the pages when another one is used meanwhile.
	ref := orchestrator.ChatRef{Dir: o.Ref.Dir, Prefix: string(detail.ID)}
	show, done := logPrinter(e, detail.Worktree.Dir)
	defer done()
	var newest []orchestrator.Event
	var after orchestrator.Seq
	for !e.gone() {
		page, err := svc.Log(ctx, ref, after, logPage)
		if err != nil {
			return err
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
	return nil
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
