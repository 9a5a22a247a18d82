package main

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"boo/orchestrator"
)

// runSendMany sends the prompts on stdin, each ended by a NUL but perhaps the
// last, and prints the events of all their turns.
func runSendMany(ctx context.Context, e *env, o sendOptions) error {
	e.JSON = true
	req, err := o.request(e)
	if err != nil {
		return err
	}
	if len(o.Prompt) > 0 {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "--stdin0 reads the prompts from stdin; nothing was sent").WithHint("boo chat send --help")
	}
	text, err := readAll(e)
	if err != nil {
		return err
	}
	prompts := strings.Split(strings.TrimSuffix(text, "\x00"), "\x00")
	req.Prompt, req.More = prompts[0], prompts[1:]
	for _, p := range prompts { // no daemon is started for what it refuses
		if err := orchestrator.CheckPrompt(p); err != nil {
			return err
		}
	}
	svc, err := e.sender(ctx, req)
	if err != nil {
		return err
	}
	signals, stop := e.Signals()
	defer stop()
	sent, err := e.send(ctx, svc, req, signals)
	if err != nil {
		return err
	}
	if o.Detach {
		return showAllSent(e, sent)
	}
	return watchAll(ctx, e, svc, sent, signals)
}

// readAll reads what is on stdin.
func readAll(e *env) (string, error) {
	text, err := io.ReadAll(io.LimitReader(e.Stdin, maxStdin+1))
	if err != nil {
		return "", orchestrator.Errorf(orchestrator.CodeInternal, "read the prompt from stdin: %w; nothing was sent", err)
	}
	if len(text) > maxStdin {
		return "", orchestrator.Errorf(orchestrator.CodeInvalid, "the prompt on stdin has more than %d MiB; nothing was sent", maxStdin>>20).
			WithHint(`put the text into a file of the repository and send: boo chat send "read FILE and …"`)
	}
	return string(text), nil
}

func showAllSent(e *env, sent orchestrator.Sent) error {
	more := sent.More
	for {
		if err := showSent(e, sent); err != nil || len(more) == 0 {
			return err
		}
		sent.Ahead = append(sent.Ahead, orchestrator.Turn{ID: sent.Turn})
		sent.Turn, more = more[0], more[1:]
	}
}

// watchAll follows turns one after another. Ctrl-C stops the one that runs, and
// the next begins; TERM lets it finish, and the others do not begin. The first
// that did not complete decides the exit status.
func watchAll(ctx context.Context, e *env, svc orchestrator.Service, sent orchestrator.Sent, signals <-chan os.Signal) error {
	var first error
	rest := append([]orchestrator.TurnID{sent.Turn}, sent.More...)
	for len(rest) > 0 {
		sent.Turn, rest = rest[0], rest[1:]
		w := newWatch(e, svc, sent)
		w.rest = rest
		if err := w.follow(ctx, signals); err != nil && first == nil {
			first = err
		}
		if w.hungUp {
			w.stopRest(ctx)
		}
		if w.hungUp || w.last {
			break
		}
	}
	return first
}

// finish lets the turn go on to its end, and those after it not begin.
func (w *watch) finish(ctx context.Context) {
	if w.last {
		return
	}
	w.last = true
	w.hands.Go(func() { w.stopRest(ctx) })
}

// stopRest stops the turns after this one: the last first, so that none of them
// begins because the one before it ends.
func (w *watch) stopRest(ctx context.Context) {
	for _, turn := range slices.Backward(w.rest) {
		if err := w.svc.Stop(context.WithoutCancel(ctx), turn, false); err != nil && ctx.Err() == nil {
			w.tell(ctx, "stop turn "+string(turn)+": "+err.Error())
		}
	}
}
