package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/inbox"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
	"boo/orchestrator/daemon"
)

func chatServeCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "take prompts for a chat from a named pipe, for as long as it runs",
		ArgsUsage: "[CHAT]",
		Description: "Each prompt ends with a NUL; any program of yours can write them. The pipe is made for you\n" +
			"alone: ~/.local/state/boo/serve/CHAT.fifo, with the chat's id, or --fifo. The turns are taken\n" +
			"in order, nobody is asked for permission, and what happens is printed.\n" +
			"When it is ended the turn that runs goes on in the daemon, and prompts that were written,\n" +
			"but not sent, are sent by the next one. To have systemd keep it running:\n" +
			"  boo service install --chat nightly\n" +
			"  printf 'update the dependencies\\0' > ~/.local/state/boo/serve/c1a2b3c4d5.fifo",
		Flags: []cli.Flag{&cli.StringFlag{Name: "fifo", Usage: "take them from the pipe `FILE`"}},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			return runServe(c.Context, e, ref, c.String("fifo"))
		},
	}
}

// server feeds one chat.
type server struct {
	e     *env
	svc   orchestrator.Service
	chat  orchestrator.ChatDetail
	sent  chan orchestrator.TurnID // turns to be shown, in their order
	ended chan struct{}            // told when one of them has ended
}

// mostShown is how many turns may wait to be shown; the chat's queue takes fewer.
const mostShown = 64

func runServe(ctx context.Context, e *env, ref orchestrator.ChatRef, fifo string) error {
	ctx, stop := e.stoppable(ctx)
	defer stop()
	svc, err := e.daemon(ctx)
	if err != nil {
		return err
	}
	chat, err := svc.Chat(ctx, ref)
	if err != nil {
		return err
	}
	if chat.State != orchestrator.ChatOpen {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "chat %s is %s", chat.ID, chat.State).WithHint("boo chat reopen %s", chat.ID)
	}
	d, _, err := e.settings()
	if err != nil {
		return err
	}
	release, err := lockServe(d, chat.ID)
	if err != nil {
		return err
	}
	defer release()
	if fifo, err = pipeOf(e, d, chat.ID, fifo); err != nil {
		return err
	}
	box, err := inbox.Open(fifo, orchestrator.MaxPrompt)
	if err != nil {
		return err
	}
	if !e.JSON {
		e.Stderr.Println(tty.Plain("chat " + string(chat.ID) + " takes prompts, each ended by a NUL, from " + fifo))
	}
	s := &server{e: e, svc: svc, chat: chat, sent: make(chan orchestrator.TurnID, mostShown), ended: make(chan struct{}, 1)}
	err = s.run(ctx, box)
	if closeErr := box.Close(); closeErr != nil {
		err = errors.Join(err, closeErr)
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil // a service is ended by a signal, and that is no failure
	}
	return err
}

// lockServe lets one process serve a chat: two would take each other's prompts
// apart.
func lockServe(d dirs, chat orchestrator.ChatID) (release func(), err error) {
	locks, err := daemon.NewLocks(filepath.Join(d.Data, "locks"))
	if err != nil {
		return nil, err
	}
	release, free, err := locks.TryLock("serve-" + string(chat))
	if err == nil && !free {
		err = orchestrator.Errorf(orchestrator.CodeBusy, "chat %s is served already, by another boo chat serve", chat).WithHint("boo chat send -c %s …", chat)
	}
	return release, err
}

// pipeOf is the pipe that was named, or the chat's own, in a directory that is
// there.
func pipeOf(e *env, d dirs, chat orchestrator.ChatID, named string) (string, error) {
	if named == "" {
		dir := filepath.Join(d.State, "serve")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", orchestrator.Errorf(orchestrator.CodeDenied, "make a directory for pipes: %w", err)
		}
		return filepath.Join(dir, string(chat)+".fifo"), nil
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(e.Dir, named)
	}
	dir := filepath.Dir(named)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", orchestrator.Errorf(orchestrator.CodeInvalid, "there is no directory %s for the pipe; nothing was made", dir).WithHint("mkdir -p %s", dir)
	}
	return named, nil
}

// run sends what comes and shows what becomes of it, until ctx or either fails.
// What was not sent then, or perhaps not, stays in the box, with the key by which
// it is known again.
func (s *server) run(ctx context.Context, box *inbox.Inbox) error {
	ctx, cancel := context.WithCancelCause(ctx)
	shown := make(chan struct{})
	go func() { // ends with ctx, and is waited for below
		defer close(shown)
		cancel(s.show(ctx))
	}()
	defer func() {
		cancel(nil)
		<-shown
	}()
	for {
		prompt, err := box.Next(ctx)
		if errors.Is(err, inbox.ErrTooLong) {
			s.complain(err)
			continue
		}
		if err != nil {
			return err
		}
		if err := orchestrator.CheckPrompt(prompt.Text); err != nil {
			s.complain(err)
		} else if err := s.send(ctx, prompt); err != nil {
			return err
		}
		if err := box.Settle(); err != nil {
			return err
		}
	}
}

// complain tells of a prompt that could not be one; the next may be.
func (s *server) complain(err error) {
	_ = s.e.report(err)
}

// queuePause is how long to wait for room in a chat's queue that others fill.
const queuePause = 5 * time.Second

// send sends a prompt as soon as there is room in the chat's queue. Sending itself
// is not cut off: it is a matter of milliseconds, and has to have an answer.
func (s *server) send(ctx context.Context, prompt inbox.Message) error {
	for {
		sent, err := s.svc.Send(context.WithoutCancel(ctx), orchestrator.SendRequest{
			Ref: orchestrator.ChatRef{Prefix: string(s.chat.ID)}, Prompt: prompt.Text, Key: prompt.Key, Environ: personEnviron(s.e.Environ()),
		})
		if err == nil {
			select {
			case s.sent <- sent.Turn:
			case <-ctx.Done(): // it is taken all the same
			}
			return nil
		}
		if orchestrator.CodeOf(err) != orchestrator.CodeBusy {
			return err
		}
		pause := time.NewTimer(queuePause)
		select {
		case <-s.ended:
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return context.Cause(ctx)
		}
		pause.Stop()
	}
}

// show prints the turns that were sent, one after the other.
func (s *server) show(ctx context.Context) error {
	show, done := logPrinter(s.e, s.chat.Worktree.Dir, false)
	defer done()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case turn := <-s.sent:
			err := s.svc.Follow(ctx, turn, 0, func(ev orchestrator.Event) error {
				if show(ev); s.e.gone() {
					return errReaderGone
				}
				return nil
			})
			if err != nil {
				return err
			}
			select {
			case s.ended <- struct{}{}:
			default:
			}
		}
	}
}
