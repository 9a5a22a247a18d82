package backends

import (
	"context"
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
	// Done is closed when the whole tree is gone.
	Done() <-chan struct{}
	// Exit tells how the main process ended; it waits for Done.
	Exit() Exit
	// End sends TERM to the tree, KILL to what is left after grace, and returns
	// when all of it is gone. It may be called twice.
	End(ctx context.Context, grace time.Duration) error
}

// Exit is how a process ended.
type Exit struct {
	Code   int    // exit status; -1 if a signal ended it
	Signal string // "killed", "terminated", …; "" if it exited
}

// Protocol opens sessions over one wire protocol. Packages acp and opencode
// implement it.
type Protocol interface {
	// Open starts the agent by calling launch and brings the session about. On
	// error the child has been ended.
	Open(ctx context.Context, def Definition, launch func(context.Context) (Child, error), req orchestrator.SessionRequest) (orchestrator.AgentSession, error)
}
