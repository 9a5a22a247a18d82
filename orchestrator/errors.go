package orchestrator

import (
	"errors"
	"fmt"
)

// Code says what kind of failure an error is. It is the only thing that the
// edges (exit status, HTTP status) look at.
type Code string

// The codes. Every one has a row in the tables of the edges; a test there
// ranges over [Codes].
const (
	CodeInternal    Code = "internal"    // a fault of boo's or of the machine's
	CodeInvalid     Code = "invalid"     // the request makes no sense as it stands
	CodeNotFound    Code = "not_found"   // a chat, change, agent or repository that is not there
	CodeAtRisk      Code = "at_risk"     // going on could lose work
	CodeUnverified  Code = "unverified"  // something could not be found out
	CodeBusy        Code = "busy"        // somebody else holds it; try again
	CodeAgent       Code = "agent"       // the agent failed, or cannot be started
	CodeConflict    Code = "conflict"    // two changes collide; nothing was written
	CodeInterrupted Code = "interrupted" // the person stopped it
	CodeFull        Code = "disk_full"   // no space left
	CodeDenied      Code = "denied"      // the system refuses: permissions, read-only
	CodeCommand     Code = "command"     // a command of the repository's own failed
)

// Codes returns every code, for tables that must be total.
func Codes() []Code {
	return []Code{
		CodeInternal, CodeInvalid, CodeNotFound, CodeAtRisk, CodeUnverified, CodeBusy,
		CodeAgent, CodeConflict, CodeInterrupted, CodeFull, CodeDenied, CodeCommand,
	}
}

// Error is the coded error at boo's edges. Msg says what happened and what was
// kept; Hint is the command to run next, or empty.
type Error struct {
	Code Code
	Msg  string
	Hint string
	Err  error
}

// Error returns the message, followed by the cause if there is one.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Msg
	}
	cause := e.Err.Error()
	switch {
	case e.Msg == "":
		return cause
	case cause == "":
		return e.Msg
	}
	return e.Msg + ": " + cause
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes a coded error. A %w verb keeps its cause reachable.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Msg: err.Error(), Err: hidden{errors.Unwrap(err)}.orNil()}
}

// WithHint returns e with the command to run next.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// CodeOf returns the code of the outermost coded error in err's chain, and
// CodeInternal if there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// HintOf returns the first hint in err's chain, or "".
func HintOf(err error) string {
	for err != nil {
		e, ok := errors.AsType[*Error](err)
		if !ok {
			return ""
		}
		if e.Hint != "" {
			return e.Hint
		}
		err = e.Err
	}
	return ""
}

// hidden keeps a cause reachable for errors.Is without printing it twice:
// Errorf has already put its text into the message.
type hidden struct{ err error }

func (h hidden) orNil() error {
	if h.err == nil {
		return nil
	}
	return h
}

func (h hidden) Error() string { return "" }
func (h hidden) Unwrap() error { return h.err }

// ErrAgentDied is in the chain of the error that [AgentSession.Prompt] returns
// when the agent's process ended in mid-turn, whatever its exit status.
var ErrAgentDied = errors.New("the agent's process ended in mid-turn")

// ErrUnsent is in the chain of the error that [AgentSession.Prompt] returns when
// the agent turns out to have ended before the prompt went out: sent was not
// called, and the same prompt may go to another process of it.
var ErrUnsent = errors.New("it has ended; nothing was sent to it")
