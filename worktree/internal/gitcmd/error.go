package gitcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
)

// Error is a git command that did not succeed.
type Error struct {
	Args     []string // as the caller gave them, without the hardening
	ExitCode int      // -1 when it did not run or a signal ended it
	Stderr   string
	Err      error // the cause below, such as the context's
}

// Error names the subcommand and gives the line of standard error that says
// what went wrong.
func (e *Error) Error() string {
	name := "git"
	if len(e.Args) > 0 {
		name += " " + e.Args[0]
	}
	if line := e.Reason(); line != "" {
		return name + ": " + line
	}
	return fmt.Sprintf("%s: %v", name, e.Err)
}

// Reason returns the line that says what went wrong: the first one that git
// marked as an error or fatal (those after it say what it gave up because of
// that), or else the last; "" when there is none.
func (e *Error) Reason() string {
	var last string
	for line := range strings.SplitSeq(strings.TrimSpace(e.Stderr), "\n") {
		last = line
		for _, mark := range []string{"fatal: ", "error: "} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				return rest
			}
		}
	}
	return last
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Says reports whether standard error contains text.
func (e *Error) Says(text string) bool { return strings.Contains(e.Stderr, text) }

func newError(ctx context.Context, c Call, err error, stderr string) *Error {
	e := &Error{Args: c.Args, ExitCode: -1, Stderr: stderr, Err: err}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		e.ExitCode = exit.ExitCode()
	}
	switch {
	case ctx.Err() != nil:
		e.Err = context.Cause(ctx)
		e.Stderr = ""
	case errors.Is(err, exec.ErrNotFound), e.ExitCode < 0 && errors.Is(err, fs.ErrNotExist):
		e.Err = fmt.Errorf("%w: %w", ErrNoGit, err)
	}
	return e
}
