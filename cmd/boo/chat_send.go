package main

import (
	"context"
	"os"
	"slices"
	"syscall"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

type sendOptions struct {
	Chat   string
	New    bool
	Agent  string
	Model  string
	Mode   string
	Base   string
	Sparse []string
	Detach bool
	Stdin0 bool          // many prompts, on stdin
	Once   bool          // the new chat is for this prompt alone
	Schema *answerSchema // that the answer has to fit; nil for any answer
	Bounds boundsOptions
	Prompt []string
	Key    string
	Resume bool
	Retry  orchestrator.TurnID // "" for a prompt of its own
	Force  bool
}

// ownPrompt says that the person gives the prompt, not an earlier turn.
func (o sendOptions) ownPrompt() bool {
	return o.Retry == "" && (!o.Resume || len(o.Prompt) > 0)
}

func chatSendCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "send",
		Usage:     "send a prompt to an agent and watch it work",
		ArgsUsage: "[PROMPT | -]",
		Description: "The agent works in the chat's own worktree; your checkout stays as it is until you\n" +
			"apply what it did. Without a prompt your editor opens; - reads it from stdin.\n" +
			"Ctrl-C stops the turn and keeps what was done; a second Ctrl-C ends the agent at once.\n" +
			"TERM lets the turn finish and begins no other; HUP changes nothing. A turn is also\n" +
			"stopped when the reader of its output goes away.\n" +
			"  boo chat send --agent goose \"add a --shout flag\"\n" +
			"  printf '%s\\0' \"fix the tests\" \"then document it\" | boo chat send --stdin0",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "chat", Aliases: []string{"c"}, Usage: "go on in `CHAT` (default: the one last used in this repository)"},
			toggle("new", "begin a new chat"),
			&cli.StringFlag{Name: "agent", Usage: "`AGENT` that takes the turn (default: the chat's last one)"},
			&cli.StringFlag{Name: "model", Usage: "`MODEL` that the agent shall use"},
			&cli.StringFlag{Name: "mode", Usage: "`MODE` that the agent shall work in, in its own words (default: what its definition says)"},
			toggle("stdin0", "read many prompts from stdin, each ended by a NUL: all are sent or none, and their events are printed as JSON"),
			toggle("detach", "return when the prompt is on disk; boo chat log -f shows the turn"),
			baseFlag(), sparseFlag(),
			keyFlag(),
			toggle("resume-halted", "go on after a turn that was halted, stopped or has failed; no prompt is needed"),
		}, boundsFlags()...),
		Action: func(c *cli.Context) error {
			run := runSend
			if c.Bool("stdin0") {
				run = runSendMany
			}
			return run(c.Context, e, sendOptions{
				Chat: c.String("chat"), New: c.Bool("new"), Agent: c.String("agent"),
				Model: c.String("model"), Mode: c.String("mode"), Base: c.String("base"), Sparse: c.StringSlice("sparse"), Detach: c.Bool("detach"),
				Bounds: boundsOf(c), Prompt: c.Args().Slice(), Key: c.String("idempotency-key"), Resume: c.Bool("resume-halted"),
			})
		},
	}
}

// runSend sends a prompt and shows its turn to the end.
func runSend(ctx context.Context, e *env, o sendOptions) error {
	req, err := o.request(e)
	if err != nil {
		return err
	}
	var p prompt
	if o.ownPrompt() {
		if p, err = o.read(ctx, e, req); err != nil {
			return err
		}
	}
	req.Prompt = p.text
	if o.Schema != nil {
		req.Prompt = o.Schema.ask(p.text)
	}
	svc, err := e.sender(ctx, req)
	if err != nil {
		p.keep(e)
		return err
	}
	signals, stop := e.Signals()
	defer stop()
	sent, err := e.send(ctx, svc, req, signals)
	if err != nil {
		p.keep(e)
		return err
	}
	p.discard()
	if sent.Repeated && !e.JSON {
		e.Stderr.Println(tty.Dim("this was sent before, as turn " + string(sent.Turn) + ", and is not sent again"))
	}
	if o.Detach {
		return showSent(e, sent)
	}
	return o.outcome(ctx, e, svc, sent, signals)
}

// keyFlag lets a program send a prompt as often as it must, to have it sent once.
func keyFlag() cli.Flag {
	return &cli.StringFlag{Name: "idempotency-key", Usage: "send the prompt once only, however often this command runs with this `KEY`: it shows the turn that it has"}
}

// read gets the person's prompt.
func (o sendOptions) read(ctx context.Context, e *env, req orchestrator.SendRequest) (prompt, error) {
	if writesPrompt(e, o.Prompt) {
		// What is in its way is found out before a prompt is written.
		if _, err := e.sender(ctx, req); err != nil {
			return prompt{}, err
		}
	}
	p, err := readPrompt(ctx, e, o.Prompt)
	if err != nil && o.Once && len(o.Prompt) == 0 {
		err = orchestrator.Errorf(orchestrator.CodeOf(err), "%w", err).WithHint(`boo run "what you want done", or boo run - to read it from stdin`)
	}
	if err != nil {
		return p, err
	}
	err = orchestrator.CheckPrompt(p.text) // no daemon is started for it
	if err != nil {
		p.keep(e)
	}
	return p, err
}

func (o sendOptions) request(e *env) (orchestrator.SendRequest, error) {
	req := orchestrator.SendRequest{
		Ref: orchestrator.ChatRef{Dir: e.Dir, Prefix: o.Chat},
		New: o.New, Once: o.Once, Model: o.Model, Mode: o.Mode, Base: o.Base, Sparse: o.Sparse, Attended: e.attended() && !o.Detach,
		Environ: personEnviron(e.Environ()),
		Key:     o.Key, ResumeHalted: o.Resume, Retry: o.Retry, Force: o.Force,
	}
	if o.New && o.Chat != "" {
		return req, orchestrator.Errorf(orchestrator.CodeInvalid, "--new and --chat exclude each other").WithHint("boo chat send --help")
	}
	var err error
	if req.Agent, err = namedAgent(o.Agent); err != nil {
		return req, err
	}
	err = o.Bounds.put(&req)
	return req, err
}

// send sends the prompt unless a signal comes first. What a boo that died left behind
// is settled, and told of, while the agent has begun.
func (e *env) send(ctx context.Context, svc orchestrator.Service, req orchestrator.SendRequest, signals <-chan os.Signal) (orchestrator.Sent, error) {
	sent, err := sendStoppable(ctx, svc, req, signals)
	if left := e.recover(ctx, svc); left != nil && err == nil {
		e.tellUnsettled("what an earlier boo has left could not be settled: " + left.Error())
	}
	return sent, err
}

// sendStoppable sends the prompt unless a signal comes first.
func sendStoppable(ctx context.Context, svc orchestrator.Service, req orchestrator.SendRequest, signals <-chan os.Signal) (orchestrator.Sent, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type result struct {
		sent orchestrator.Sent
		err  error
	}
	done := make(chan result, 1)
	go func() { // waited for below
		sent, err := svc.Send(ctx, req)
		done <- result{sent, err}
	}()
	select {
	case r := <-done:
		return r.sent, r.err
	case sig := <-signals:
		if sig == syscall.SIGHUP {
			r := <-done
			return r.sent, r.err
		}
		cancel(errStopped())
		r := <-done
		if r.err != nil {
			return r.sent, errStopped()
		}
		// It was faster: the turns exist, and are stopped as any other.
		for _, turn := range append(slices.Clone(r.sent.More), r.sent.Turn) {
			if err := svc.Stop(context.WithoutCancel(ctx), turn, false); err != nil {
				return r.sent, err
			}
		}
		return r.sent, nil
	}
}
