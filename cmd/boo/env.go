package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"boo/cmd/boo/internal/doctor"
	"boo/cmd/boo/internal/foreground"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// env is everything that a command may touch. Tests put their own values in.
type env struct {
	Stdin         io.Reader
	StdinTerminal bool
	Stdout        *tty.Output
	Stderr        *tty.Output
	SameOutput    bool // stdout and stderr lead to the same place
	JSON          bool
	Dir           string // where the command runs, absolute
	Getenv        func(string) string
	Environ       func() []string
	Now           func() time.Time

	// Set by wire.
	Open   func(ctx context.Context, d dirs, c config) (orchestrator.Service, error) // in this process
	Daemon func(d dirs) (daemonLink, error)
	Serve  func(ctx context.Context, d dirs, c config, o daemonRunOptions) error
	Agents func(d dirs, c config) (agentTools, error)
	Doctor func(ctx context.Context, d dirs, c config) (p doctor.Patient, done func() error, err error)
	Git    func(ctx context.Context, dir string, args ...string) ([]byte, error) // for the demo: what git prints
	Demo   func() demoScenario

	Run     func(ctx context.Context, p foreground.Program) error
	Key     func(ctx context.Context, keys string, ask func()) (byte, error)
	Pause   func(ctx context.Context, d time.Duration) // waits, unless ctx ends first
	Signals func() (signals <-chan os.Signal, stop func())

	svc  orchestrator.Service // in this process, once it was asked for
	live orchestrator.Service // the daemon's, once it was asked for
}

func newEnv() *env {
	return &env{
		Stdin:         os.Stdin,
		StdinTerminal: tty.IsTerminal(os.Stdin),
		Stdout:        tty.Open(os.Stdout, os.Getenv),
		Stderr:        tty.Open(os.Stderr, os.Getenv),
		SameOutput:    tty.SameFile(os.Stdout, os.Stderr),
		Getenv:        os.Getenv,
		Environ:       os.Environ,
		Now:           time.Now,
		Run:           foreground.Run,
		Key:           tty.Key,
		Pause:         pause,
		Signals:       catch,
	}
}

// catch passes on the signals that ask a person's command to end.
func catch() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 4)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	return c, func() { signal.Stop(c) }
}

// stoppable returns a context that ends with the first such signal.
func (e *env) stoppable(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals, stop := e.Signals()
	done := make(chan struct{})
	go func() { // ends with cancel below, which waits for it
		defer close(done)
		select {
		case <-signals:
			cancel(errStopped())
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
		stop()
	}
}

func errStopped() error {
	return orchestrator.Errorf(orchestrator.CodeInterrupted, "stopped")
}

// agents opens what the agents commands talk to.
func (e *env) agents() (agentTools, error) {
	d, c, err := e.settings()
	if err != nil {
		return agentTools{}, err
	}
	return e.Agents(d, c)
}

// gone reports whether the reader of stdout went away.
func (e *env) gone() bool { return errors.Is(e.Stdout.Err(), syscall.EPIPE) }

// attended reports whether a person is there to be asked.
func (e *env) attended() bool { return e.StdinTerminal && e.Stderr.Terminal() && !e.JSON }
