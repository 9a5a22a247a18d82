package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// watch follows one turn in front of a person: it shows what comes, asks what
// the agent wants to know, and stops the turn when told to.
//
// Four hands reach it (the followed events, keys, signals, answers of Stop);
// the goroutine of follow alone touches the screen.
type watch struct {
	e    *env
	svc  orchestrator.Service
	sent orchestrator.Sent
	view *turnView

	hands   sync.WaitGroup        // the goroutines that follow waits for
	news    chan string           // what a hand has to say; it waits to be heard
	stops   int                   // how often the person asked to stop
	hungUp  bool                  // the reader of stdout went away
	rest    []orchestrator.TurnID // turns that were sent with this one, after it
	last    bool                  // they shall not begin
	verdict verdict
	said    answer
	ask     *question
	backlog []orchestrator.Event // events that wait for the open question
}

// Events that come while a question is open wait up to this number; then the
// following pauses.
const maxBacklog = 1000

func newWatch(e *env, svc orchestrator.Service, sent orchestrator.Sent) *watch {
	screen := tty.NewScreen(e.Stdout, e.Stderr, e.SameOutput)
	return &watch{
		e: e, svc: svc, sent: sent, view: newTurnView(screen, sent.Dir), news: make(chan string),
		verdict: verdict{chat: sent.Chat, turn: sent.Turn, agent: sent.Agent},
	}
}

// intro says where the prompt went.
func (w *watch) intro() {
	if w.e.JSON {
		return
	}
	how := ""
	if w.sent.NewChat {
		how = " (new)"
	}
	w.view.line(tty.Dim("chat "), tty.Cyan(string(w.sent.Chat)), tty.Dim(how+" · turn "+string(w.sent.Turn)+" · "+string(w.sent.Agent)))
	if w.view.worktree != "" {
		w.view.line(tty.Dim("worktree "), tty.Plain(string(w.view.worktree)))
	}
	for _, t := range w.sent.Ahead {
		w.view.line(tty.Yellow("waiting: "), tty.Plain(fmt.Sprintf("turn %s (%s) is %s in this chat", t.ID, t.Agent, t.State)))
	}
}

// follow shows the turn to its end and returns what decides the exit status.
func (w *watch) follow(ctx context.Context, signals <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(ctx)
	events := make(chan orchestrator.Event)
	done := make(chan error, 1)
	w.hands.Go(func() {
		done <- w.svc.Follow(ctx, w.sent.Turn, 0, func(ev orchestrator.Event) error {
			select {
			case events <- ev:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	})
	defer func() {
		cancel()
		w.closeQuestion()
		w.hands.Wait()
	}()
	for {
		in := events
		if len(w.backlog) >= maxBacklog {
			in = nil
		}
		select {
		case ev := <-in:
			w.take(ctx, ev)
		case key := <-w.ask.answers():
			w.answer(ctx, key)
		case text := <-w.news:
			w.view.line(tty.Yellow("boo: "), tty.Plain(text))
		case sig := <-signals:
			w.signal(ctx, sig)
		case err := <-done:
			w.closeQuestion()
			w.replay(ctx)
			w.view.close()
			return w.verdict.result(err)
		}
		w.mindReader(ctx)
	}
}

// take handles one event, or puts it off while a question is open.
func (w *watch) take(ctx context.Context, ev orchestrator.Event) {
	if w.e.JSON {
		w.note(ev)
		_ = w.e.Stdout.JSON(ev) // an event that was stored as JSON marshals
		return
	}
	if w.ask != nil {
		if !w.ask.settledBy(ev) {
			w.backlog = append(w.backlog, ev)
			return
		}
		w.closeQuestion()
		w.replay(ctx)
	}
	w.note(ev)
	w.view.event(ev)
	if p := ev.Permission; p != nil && p.Outcome == "" && w.e.attended() && w.stops == 0 {
		w.openQuestion(ctx, *p)
	}
}

func (w *watch) note(ev orchestrator.Event) {
	w.verdict.note(ev)
	w.said.note(ev)
}

func (w *watch) replay(ctx context.Context) {
	events := w.backlog
	w.backlog = nil
	for _, ev := range events {
		w.take(ctx, ev)
	}
}

// signal does what a signal asks for: INT stops the turn, TERM is the end of
// what is to be done after it, and HUP nothing, since the turn needs no terminal.
func (w *watch) signal(ctx context.Context, sig os.Signal) {
	switch sig {
	case syscall.SIGTERM:
		w.finish(ctx)
	case syscall.SIGHUP:
	default:
		w.stop(ctx)
	}
}

// stop asks for the end of the turn, and the second time ends it.
func (w *watch) stop(ctx context.Context) {
	w.stops++
	w.closeQuestion()
	w.replay(ctx)
	if !w.e.JSON {
		switch w.stops {
		case 1:
			w.view.line(tty.Yellow("stopping the turn; once more to end the agent at once"))
		case 2:
			w.view.line(tty.Yellow("ending the agent"))
		}
	}
	if w.stops > 2 { // the daemon does not answer: it has been told, and this command leaves
		os.Exit(exits[orchestrator.CodeInterrupted])
	}
	now := w.stops == 2
	w.hands.Go(func() {
		if err := w.svc.Stop(context.WithoutCancel(ctx), w.sent.Turn, now); err != nil && ctx.Err() == nil {
			w.tell(ctx, "stop the turn: "+err.Error())
		}
	})
}

// tell has the screen's goroutine say something.
func (w *watch) tell(ctx context.Context, text string) {
	select {
	case w.news <- text:
	case <-ctx.Done():
	}
}

// mindReader stops the turn when nobody reads its output any more, as a program
// in a pipe ends with its reader.
func (w *watch) mindReader(ctx context.Context) {
	if w.hungUp || !w.e.gone() {
		return
	}
	w.hungUp = true
	if w.stops == 0 {
		w.stop(ctx)
	}
}
