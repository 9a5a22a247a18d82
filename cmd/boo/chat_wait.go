package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

type waitOptions struct {
	Ref     orchestrator.ChatRef
	Turn    orchestrator.TurnID // "" for the newest of the chat
	Timeout time.Duration       // 0 for none
}

func chatWaitCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "wait",
		Usage:     "wait for the end of a turn",
		ArgsUsage: "[CHAT]",
		Description: "The exit status is the one that boo chat send would have had, for scripts:\n" +
			"  boo chat send --detach \"fix the tests\" && boo chat wait --timeout 10m && boo pending apply\n" +
			"Waiting, and giving it up, changes nothing about the turn.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "turn", Usage: "`TURN` to wait for (default: the newest of the chat)"},
			&cli.DurationFlag{Name: "timeout", Usage: "give up after `TIME`, such as 90s or 10m, with status 6", DefaultText: "none"},
		},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			o := waitOptions{Ref: ref, Timeout: c.Duration("timeout")}
			if o.Timeout < 0 || c.IsSet("timeout") && o.Timeout == 0 {
				return usageError(c, fmt.Errorf("--timeout wants a time above 0"), false)
			}
			if c.IsSet("turn") {
				if o.Turn, err = orchestrator.ParseTurnID(c.String("turn")); err != nil {
					return usageError(c, fmt.Errorf("--turn: %w", err), false)
				}
			}
			return runChatWait(c.Context, e, o)
		},
	}
}

// waitView is the line that "boo chat wait --json" prints.
type waitView struct {
	Chat orchestrator.ChatID `json:"chat"`
	Turn orchestrator.TurnID `json:"turn"`
	orchestrator.TurnSummary
}

func runChatWait(ctx context.Context, e *env, o waitOptions) error {
	svc, err := e.turns(ctx)
	if err != nil {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	turn, err := o.find(ctx, svc)
	if err != nil {
		return err
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errTimeout)
		defer cancel()
	}
	v := verdict{turn: turn}
	err = v.follow(ctx, svc)
	if errors.Is(err, errTimeout) {
		return orchestrator.Errorf(orchestrator.CodeBusy, "turn %s is not over after %s; it goes on", turn, o.Timeout).
			WithHint("boo chat wait --turn %s   (or stop it: boo chat stop %s)", turn, v.chat)
	}
	if v.end != nil {
		if err := v.show(e); err != nil {
			return err
		}
	}
	return v.result(err)
}

var errTimeout = errors.New("the time is over")

// find is the turn to wait for. A turn's id says it all, unless a chat is named
// that it then has to belong to.
func (o waitOptions) find(ctx context.Context, svc orchestrator.Service) (orchestrator.TurnID, error) {
	if o.Turn != "" && o.Ref.Prefix == "" {
		return o.Turn, nil
	}
	d, err := svc.Chat(ctx, o.Ref)
	if err != nil {
		return "", err
	}
	if o.Turn == "" {
		if len(d.TurnList) == 0 {
			return "", orchestrator.Errorf(orchestrator.CodeNotFound, "chat %s has no turns", d.ID).WithHint("boo chat send -c %s …", d.ID)
		}
		return d.TurnList[len(d.TurnList)-1].ID, nil
	}
	if !slices.ContainsFunc(d.TurnList, func(t orchestrator.Turn) bool { return t.ID == o.Turn }) {
		return "", orchestrator.Errorf(orchestrator.CodeNotFound, "chat %s has no turn %s", d.ID, o.Turn).WithHint("boo chat show %s", d.ID)
	}
	return o.Turn, nil
}

// show prints how the turn ended.
func (v *verdict) show(e *env) error {
	if e.JSON {
		line := waitView{Chat: v.chat, Turn: v.turn}
		if v.summary != nil {
			line.TurnSummary = *v.summary
		}
		line.State, line.Reason = v.end.State, v.end.Text
		return e.Stdout.JSON(line)
	}
	e.Stdout.Println(tty.Plain(string(v.turn)+" "), stateSpan(v.end.State))
	return nil
}
