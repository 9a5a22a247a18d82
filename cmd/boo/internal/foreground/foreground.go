// Package foreground runs the person's own programs in front of them: their
// editor, their pager, and boo itself in the demo.
//
// It promises that the program has the person's terminal and environment, and
// that it is waited for. Agents never run here: a program in the foreground is
// not supervised, and ends by the same keys and signals as boo does. It refuses
// to know why a program runs. It fails with [Error] when the program ended badly
// and with the cause when it could not be started.
package foreground

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Program is what to run.
type Program struct {
	Args   []string // with the program's name, looked for on PATH
	Env    []string // "NAME=value", in addition to boo's own environment
	Dir    string   // "" for boo's own
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// Error says that a program ran and ended badly.
type Error struct {
	Name string
	Code int // exit status; -1 if a signal ended it
}

// Error names the program and its exit status.
func (e *Error) Error() string { return fmt.Sprintf("%s ended with status %d", e.Name, e.Code) }

// Run runs p to its end. When ctx ends first, the program gets a TERM signal and
// ten seconds.
func Run(ctx context.Context, p Program) error {
	cmd := exec.CommandContext(ctx, p.Args[0], p.Args[1:]...)
	cmd.Env = append(os.Environ(), p.Env...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Dir, p.Stdin, p.Stdout, p.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &Error{Name: p.Args[0], Code: exit.ExitCode()}
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", p.Args[0], err)
	}
	return nil
}

// Found reports whether a program is on PATH.
func Found(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}
