package backends

import (
	"context"
	"fmt"
	"io"
	"time"

	"boo/orchestrator"
)

// Command is a program to start for an agent.
type Command struct {
	Path string   // absolute
	Args []string // without the program's name
	Env  []string // the whole environment, "NAME=value"
	Dir  string   // absolute working directory
}

// Launcher starts programs under supervision. Package proc implements it.
type Launcher interface {
	// Launch starts cmd. The child and everything it forks ends within seconds
	// of the calling process, however that one ends. ctx bounds the start, not
	// the life. On error nothing is running.
	Launch(ctx context.Context, cmd Command) (Child, error)
}

// TreeUse is what a process tree takes of the machine.
type TreeUse struct {
	Processes int
	Memory    int64         // in bytes, resident: what they share is counted for each
	CPU       time.Duration // so far, with those that have ended
}

// Child is a supervised process tree. Methods may be called concurrently.
type Child interface {
	Stdin() io.WriteCloser
	Stdout() io.Reader
	// Identity tells pid, start time, boot id and tag; chat, turn and agent are
	// for the caller to fill in.
	Identity() orchestrator.Process
	// Stderr returns the last bytes (at most 4 KiB) that the tree wrote to
	// standard error, which is always drained.
	Stderr() string
	// Tree tells what the living processes of the tree hold and have used.
	Tree() TreeUse
	// Done is closed when the whole tree is gone.
	Done() <-chan struct{}
	// Exit tells how the main process ended; it waits for Done.
	Exit() Exit
	// End sends TERM to the tree, KILL to what is left after grace, and returns
	// when all of it is gone. It may be called twice.
	End(ctx context.Context, grace time.Duration) error
	// EndPart does the same to those of the tree that have an entry, "NAME=VALUE",
	// in the environment they were started with, and to what descends from them.
	// The rest lives on.
	EndPart(ctx context.Context, entry string, grace time.Duration) error
}

// Exit is how a process ended.
type Exit struct {
	Code   int    // exit status; -1 if a signal ended it
	Signal string // "killed", "terminated", …; "" if it exited
}

// String says it for people: "signal: killed", "exit status 3".
func (e Exit) String() string {
	if e.Signal != "" {
		return "signal: " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// Protocol brings agents up over one wire protocol. Packages acp and opencode
// implement it.
type Protocol interface {
	// Boot starts the agent by calling launch, and shakes hands. Where it tries
	// again, the child before has been ended, and on error the last one too.
	Boot(ctx context.Context, def Definition, launch Launch) (Host, error)
}

// Launch starts the agent of a definition. adjust, unless it is nil, returns its
// environment, "NAME=value", of the one that it would have; on its error nothing is
// started.
type Launch func(ctx context.Context, adjust func(env []string) ([]string, error)) (Child, error)

// Host is a running agent. Methods may be called concurrently.
type Host interface {
	// Open brings a session about: it resumes req.NativeID where that is known,
	// or opens a new one. On error, an *OpenError once the agent was asked, no
	// session is left; the agent lives on.
	Open(ctx context.Context, req orchestrator.SessionRequest) (Session, error)
	// Forget deletes a session, of a directory that may be gone, from the agent's
	// own store; deleted is false if the agent cannot be asked to. One that it does
	// not know is deleted.
	Forget(ctx context.Context, dir, id string) (deleted bool, err error)
	// Resumes reports whether another process can bring its sessions back.
	Resumes() bool
	// Shares reports whether the agent can hold several sessions: each can be
	// put away alone, and brought back by another process.
	Shares() bool
	// Done is closed when the agent is of no use any more.
	Done() <-chan struct{}
	// Failure tells after Done how the agent came to end; nil if boo ended it.
	Failure(ctx context.Context) error
	// Close ends the process tree. When it returns none of it is alive, and
	// prompts in flight return as cancelled. It may be called twice.
	Close(ctx context.Context) error
}

// Session is a session of a host. It takes one prompt at a time; Prompt and
// Stop are as in orchestrator.AgentSession, and Stop may end the host.
type Session interface {
	Info() orchestrator.SessionInfo
	// Serve hands the functions of a later request to the session, before that
	// one's prompt.
	Serve(req orchestrator.SessionRequest)
	Prompt(ctx context.Context, blocks []string, sent func() error, sink func(orchestrator.Event)) (orchestrator.TurnResult, error)
	Stop(ctx context.Context, grace time.Duration) error
	// Close puts the session away without a prompt in flight; its host lives on.
	Close(ctx context.Context) error
}
