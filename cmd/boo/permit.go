package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

type permitOptions struct {
	Ref    orchestrator.ChatRef
	All    bool   // of all chats
	ID     string // of a request, or its beginning; "" for the only one
	Allow  bool
	Always bool
}

func permitCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "permit",
		Usage: "answer what agents ask to be allowed",
		Description: "A turn that was sent with --permissions ask, or from a terminal, waits for a person\n" +
			"where no rule decides. Any terminal can answer:\n" +
			"  boo permit ls\n" +
			"  boo permit allow\n" +
			"  boo permit deny q7d --always",
		Subcommands: []*cli.Command{permitLsCommand(e), permitAnswerCommand(e, true), permitAnswerCommand(e, false)},
	}
}

func permitLsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "ls",
		Usage: "list what waits for an answer",
		Flags: []cli.Flag{permitFlag("of `CHAT` only (default: of all chats)")},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return runPermitLs(c.Context, e, permitOf(c, e))
		},
	}
}

func permitAnswerCommand(e *env, allow bool) *cli.Command {
	name, usage := "allow", "allow what an agent asks for"
	if !allow {
		name, usage = "deny", "refuse what an agent asks for"
	}
	return &cli.Command{
		Name:      name,
		Usage:     usage,
		ArgsUsage: "[ID]",
		Flags: []cli.Flag{
			permitFlag("what the agent of `CHAT` asks for"),
			toggle("always", "answer all that is of the same kind so, by this agent in this chat; it is said what that is"),
		},
		Action: func(c *cli.Context) error {
			o := permitOf(c, e)
			if c.NArg() > 1 {
				return usageError(c, orchestrator.Errorf(orchestrator.CodeInvalid, "one request at a time, not %d", c.NArg()), false)
			}
			o.ID, o.Allow, o.Always = c.Args().First(), allow, c.Bool("always")
			return runPermitAnswer(c.Context, e, o)
		},
	}
}

func permitFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "chat", Aliases: []string{"c"}, Usage: usage}
}

func permitOf(c *cli.Context, e *env) permitOptions {
	return permitOptions{Ref: orchestrator.ChatRef{Dir: e.Dir, Prefix: c.String("chat")}, All: c.String("chat") == ""}
}

func runPermitLs(ctx context.Context, e *env, o permitOptions) error {
	svc, err := e.turns(ctx)
	if err != nil {
		return err
	}
	open, err := svc.Permissions(ctx, o.Ref, o.All)
	if err != nil {
		return err
	}
	for _, p := range open {
		if e.JSON {
			if err := e.Stdout.JSON(p); err != nil {
				return err
			}
			continue
		}
		e.Stdout.Println(tty.Cyan(string(p.ID)), tty.Plain("  "), tty.Bold(string(p.Agent)+" asks to "+askedFor(p.Permission)),
			tty.Dim("  chat "+string(p.Chat)+" · "+ago(e.Now(), p.Asked)))
		for _, l := range describeInput(p.Tool) {
			e.Stdout.Println(tty.Plain("  "), tty.Plain(l))
		}
	}
	if len(open) == 0 && !e.JSON {
		e.Stderr.Println(tty.Plain("nothing waits for an answer"))
	}
	return nil
}

func runPermitAnswer(ctx context.Context, e *env, o permitOptions) error {
	svc, err := e.turns(ctx)
	if err != nil {
		return err
	}
	open, err := svc.Permissions(ctx, o.Ref, o.All)
	if err != nil {
		return err
	}
	p, err := o.pick(open)
	if err != nil {
		return err
	}
	if err := svc.Answer(ctx, p.ID, orchestrator.PermissionAnswer{Allow: o.Allow, Always: o.Always}); err != nil {
		return err
	}
	word := "refused"
	if o.Allow {
		word = "allowed"
	}
	if o.Always {
		word += " for good"
	}
	if e.JSON {
		return e.Stdout.JSON(map[string]any{
			"id": p.ID, "chat": p.Chat, "turn": p.Turn, "allow": o.Allow, "always": o.Always, "kind": kindAsked(p.Permission),
		})
	}
	e.Stderr.Println(tty.Plain(word+": "), tty.Plain(string(p.Agent)+" asked to "+askedFor(p.Permission)))
	if o.Always {
		e.Stderr.Println(tty.Plain(fromNowOn(p.Agent, p.Permission, o.Allow)))
	}
	return nil
}

// pick finds the one request that is meant.
func (o permitOptions) pick(open []orchestrator.OpenPermission) (orchestrator.OpenPermission, error) {
	var found []orchestrator.OpenPermission
	var ids []string
	for _, p := range open {
		if strings.HasPrefix(string(p.ID), strings.ToLower(o.ID)) {
			found, ids = append(found, p), append(ids, string(p.ID))
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return orchestrator.OpenPermission{}, orchestrator.Errorf(orchestrator.CodeInvalid, "%d requests wait: %s; which one?", len(found), strings.Join(ids, ", ")).
			WithHint("boo permit ls")
	case o.ID == "":
		return orchestrator.OpenPermission{}, orchestrator.Errorf(orchestrator.CodeNotFound, "nothing waits for an answer").WithHint("boo chat ls")
	}
	return orchestrator.OpenPermission{}, orchestrator.Errorf(orchestrator.CodeNotFound, "no request %s waits for an answer", o.ID).WithHint("boo permit ls")
}
