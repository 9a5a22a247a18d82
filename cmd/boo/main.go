// Command boo lets coding agents work in a chat of their own on a worktree of
// their own, and puts into a checkout what its owner takes from it.
//
// The walk of a command: main asks whether this process is the supervisor of an
// agent (supervise), makes an env with everything that a command may touch, and
// hands the arguments to the tree of commands in app.go. Each command fills a
// struct from its flags and calls a function that knows no flags. That one asks
// the env for the orchestrator.Service, of this process or of the daemon
// (service.go), which is opened then and not before, and shows what comes back
// through package tty. An error goes to exit.go, the only place that knows exit
// statuses. The daemon is this program too: "boo daemon run".
//
// The package promises that stdout is data and stderr is talk, that with --json
// every record is one line of JSON, and that whatever an agent, a path or
// another program said passes tty before a person sees it. It refuses to know
// SQL, git and protocols. wire.go is the only place that makes concrete things.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	supervise()
	// A command is over before it pays to look for garbage; the daemon does.
	debug.SetGCPercent(commandGC)
	e := newEnv()
	wire(e)
	os.Exit(e.run(os.Args))
}

const commandGC, daemonGC = 800, 200

// run is the program without the end of the process.
func (e *env) run(args []string) int {
	// Taken over, not ignored: what is ignored is inherited by children. A
	// closed pipe then is an error of writing, and no command dies half-way.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	app := newApp(e)
	err := app.RunContext(context.Background(), permute(app, args))
	if closeErr := e.close(); err == nil {
		err = closeErr
	}
	return e.report(err)
}
