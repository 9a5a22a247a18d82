package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

type replayOptions struct {
	Ref   orchestrator.ChatRef
	From  orchestrator.Seq
	Speed float64

	Cleared bool
}

// A pause is never longer than this: nobody watches an agent think for minutes.
const longestPause = 3 * time.Second

func chatReplayCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "show again what happened in a chat, as it was",
		ArgsUsage: "[CHAT]",
		Description: "On a terminal the pauses are those of then, up to three seconds each; in a pipe\n" +
			"there are none. Nothing runs again:\n" +
			"  boo chat replay --speed 4\n" +
			"  boo chat replay --json --from 120 | jq .kind",
		Flags: []cli.Flag{
			&cli.Int64Flag{Name: "from", Usage: "begin with event `SEQ`"},
			&cli.Float64Flag{Name: "speed", Value: 1, Usage: "so many `TIMES` as fast"},
			clearedFlag(),
		},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			if c.Float64("speed") <= 0 || c.Int64("from") < 0 {
				return usageError(c, fmt.Errorf("--speed wants a number above 0, --from the number of an event"), false)
			}
			return runChatReplay(c.Context, e, replayOptions{Ref: ref, From: orchestrator.Seq(c.Int64("from")), Speed: c.Float64("speed"), Cleared: c.Bool("cleared")})
		},
	}
}

func runChatReplay(ctx context.Context, e *env, o replayOptions) error {
	past, err := openPast(ctx, e, e.service, o.Ref, o.Cleared)
	if err != nil {
		return err
	}
	live := e.Stdout.Terminal() && !e.JSON
	from := logFilter{after: max(0, o.From-1)}
	show, done := logPrinter(e, past.chat.Worktree.Dir, !live)
	defer done()
	if !live {
		_, err := past.print(ctx, 0, from, show)
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	var last time.Time
	_, err = past.print(ctx, 0, from, func(ev orchestrator.Event) {
		if !last.IsZero() && ctx.Err() == nil {
			e.Pause(ctx, min(longestPause, time.Duration(float64(ev.At.Sub(last))/o.Speed)))
		}
		last = ev.At
		if ctx.Err() == nil {
			show(ev)
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// logPrinter returns how one event is printed, and what ends the printing. A
// log is data, so all of it goes to stdout. past says that it is shown as what
// was, and not as if it went on.
func logPrinter(e *env, worktree orchestrator.WorktreeDir, past bool) (show func(orchestrator.Event), done func()) {
	if e.JSON {
		return func(ev orchestrator.Event) { _ = e.Stdout.JSON(ev) }, func() {}
	}
	view := newTurnView(tty.NewScreen(e.Stdout, e.Stdout, true), worktree)
	view.past = past
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
