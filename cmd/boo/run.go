package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func runCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "have an agent do one thing, in a chat of its own",
		ArgsUsage: "[PROMPT | -]",
		Description: "The agent works in a worktree of its own, as with boo chat send, and the exit status\n" +
			"says how it went. What it changed is pending, for boo pending show and apply.\n" +
			"With --output-schema the agent is told to answer in JSON of that form; stdout then\n" +
			"has the answer alone, and the status is 7 where it does not fit:\n" +
			"  boo run \"fix the failing test\"\n" +
			"  boo run --output-schema bugs.json \"list the bugs in parse.go\" | jq .",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "agent", Usage: "`AGENT` that does it (default: as configured)"},
			&cli.StringFlag{Name: "model", Usage: "`MODEL` that the agent shall use"},
			&cli.StringFlag{Name: "mode", Usage: "`MODE` that the agent shall work in, in its own words"},
			&cli.StringFlag{Name: "output-schema", Usage: "JSON Schema in `FILE` that the answer has to fit"},
			baseFlag(), sparseFlag(),
		}, boundsFlags()...),
		Action: func(c *cli.Context) error {
			o := sendOptions{
				New: true, Once: true, Agent: c.String("agent"), Model: c.String("model"), Mode: c.String("mode"),
				Base: c.String("base"), Sparse: c.StringSlice("sparse"), Bounds: boundsOf(c), Prompt: c.Args().Slice(),
			}
			if file := c.String("output-schema"); file != "" {
				var err error
				if o.Schema, err = readSchema(file); err != nil {
					return err
				}
			}
			return runSend(c.Context, e, o)
		},
	}
}

// outcome watches the turn that was sent, and checks its answer.
func (o sendOptions) outcome(ctx context.Context, e *env, svc orchestrator.Service, sent orchestrator.Sent, signals <-chan os.Signal) error {
	w := newWatch(e, svc, sent)
	if o.Schema != nil { // stdout is for the answer
		w.view = newTurnView(tty.NewScreen(e.Stderr, e.Stderr, true), sent.Dir)
	}
	w.intro()
	err := w.follow(ctx, signals)
	if o.Once {
		endRun(ctx, e, svc, sent.Chat)
	}
	if err != nil || o.Schema == nil {
		return err
	}
	value, err := o.Schema.check(w.said.text.String())
	if err != nil {
		return orchestrator.Errorf(orchestrator.CodeAgent, "%w", err).WithHint("boo chat log %s", sent.Chat)
	}
	if e.JSON {
		return e.Stdout.JSON(resultView{Kind: "result", Chat: sent.Chat, Turn: sent.Turn, Result: value})
	}
	var line bytes.Buffer
	if err := json.Compact(&line, value); err != nil {
		return orchestrator.Errorf(orchestrator.CodeInternal, "write the answer: %w", err)
	}
	return e.Stdout.JSON(json.RawMessage(line.Bytes()))
}

// endRun closes the chat of a run. What it changed is pending in a closed chat
// too; a worktree with anything at risk is left to the reaper.
func endRun(ctx context.Context, e *env, svc orchestrator.Service, chat orchestrator.ChatID) {
	ctx = context.WithoutCancel(ctx)
	ref := orchestrator.ChatRef{Dir: e.Dir, Prefix: string(chat)}
	opts := orchestrator.CloseOptions{Environ: personEnviron(e.Environ())}
	_, err := svc.CloseChat(ctx, ref, opts)
	if code := orchestrator.CodeOf(err); code == orchestrator.CodeAtRisk || code == orchestrator.CodeUnverified {
		opts.KeepWorktree = true
		_, err = svc.CloseChat(ctx, ref, opts)
	}
	if err != nil && !e.JSON { // it stays open, which loses nothing
		e.Stderr.Println(tty.Yellow("boo: "), tty.Plain("the chat is not closed: "+err.Error()))
	}
}

// resultView is the last line of "boo run --json --output-schema FILE".
type resultView struct {
	Kind   string              `json:"kind"`
	Chat   orchestrator.ChatID `json:"chat"`
	Turn   orchestrator.TurnID `json:"turn"`
	Result json.RawMessage     `json:"result"`
}
