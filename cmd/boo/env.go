package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

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
	Now           func() time.Time

	// Set by wire.
	Open   func(ctx context.Context, d dirs, c config) (orchestrator.Service, error)
	Agents func(d dirs, c config) (agentTools, error)
	Git    func(ctx context.Context, dir string, args ...string) ([]byte, error) // for the demo: what git prints
	Demo   func() demoScenario

	Run     func(ctx context.Context, p foreground.Program) error
	Key     func(ctx context.Context, keys string) (byte, error)
	Signals func() (signals <-chan os.Signal, stop func())

	svc orchestrator.Service
}

func newEnv() *env {
	return &env{
		Stdin:         os.Stdin,
		StdinTerminal: tty.IsTerminal(os.Stdin),
		Stdout:        tty.Open(os.Stdout, os.Getenv),
		Stderr:        tty.Open(os.Stderr, os.Getenv),
		SameOutput:    tty.SameFile(os.Stdout, os.Stderr),
		Getenv:        os.Getenv,
		Now:           time.Now,
		Run:           foreground.Run,
		Key:           tty.Key,
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

// service opens what the commands talk to, on first use, and settles what a boo
// that died left behind.
func (e *env) service(ctx context.Context) (orchestrator.Service, error) {
	if e.svc != nil {
		return e.svc, nil
	}
	d, err := findDirs(e.Getenv)
	if err != nil {
		return nil, err
	}
	c, err := readConfig(d.Config)
	if err != nil {
		return nil, err
	}
	svc, err := e.Open(ctx, d, c)
	if err != nil {
		return nil, err
	}
	e.svc = svc
	settled, err := svc.Recover(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range settled {
		if !e.JSON {
			e.Stderr.Println(tty.Yellow("recovered: "), tty.Plain(r.Message))
		}
	}
	return svc, nil
}

// agents opens what the agents commands talk to.
func (e *env) agents() (agentTools, error) {
	d, err := findDirs(e.Getenv)
	if err != nil {
		return agentTools{}, err
	}
	c, err := readConfig(d.Config)
	if err != nil {
		return agentTools{}, err
	}
	return e.Agents(d, c)
}

func (e *env) close() error {
	if e.svc == nil {
		return nil
	}
	return e.svc.Close()
}

// gone reports whether the reader of stdout went away.
func (e *env) gone() bool { return errors.Is(e.Stdout.Err(), syscall.EPIPE) }

// attended reports whether a person is there to be asked.
func (e *env) attended() bool { return e.StdinTerminal && e.Stderr.Terminal() && !e.JSON }
