package main

import (
	"context"
	"io"
	"os"
	"os/signal"

	"boo/cmd/boo/internal/foreground"
	"boo/cmd/boo/internal/tty"
)

// paged shows what show writes in the person's pager if they look at a terminal,
// else on stdout.
func (e *env) paged(ctx context.Context, show func(*tty.Output) error) error {
	pager := e.pager()
	if !e.Stdout.Terminal() || !e.StdinTerminal || e.JSON || pager == "" {
		return show(e.Stdout)
	}
	// Ctrl-C belongs to the pager: it ends a search there, not the reading.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() { // waited for below
		err := e.Run(ctx, foreground.Program{
			Args:  []string{"sh", "-c", pager},
			Env:   e.pagerEnv(),
			Stdin: r, Stdout: os.Stdout, Stderr: os.Stderr,
		})
		_ = r.CloseWithError(io.ErrClosedPipe) // the person left it: the writing ends
		ended <- err
	}()
	err := show(tty.New(w, tty.Options{Terminal: true, Colour: e.Stdout.Colour(), Size: e.Stdout.Size}))
	_ = w.Close()
	// How a pager ends means nothing: leaving it early is no failure.
	<-ended
	return err
}

// pager is the command of the person's pager; "" for none.
func (e *env) pager() string {
	switch pager := e.Getenv("PAGER"); {
	case pager == "cat":
		return ""
	case pager != "":
		return pager
	case foreground.Found("less"):
		return "less"
	}
	return ""
}

// pagerEnv keeps less from running programs and opening files at the bidding of
// what it shows, and lets it pass boo's colours.
func (e *env) pagerEnv() []string {
	vars := []string{"LESSSECURE=1"}
	if e.Getenv("LESS") == "" {
		vars = append(vars, "LESS=FRX")
	}
	return vars
}
