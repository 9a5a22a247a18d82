package backends

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"boo/orchestrator"
)

// Commands runs commands that a repository asks for, under the same supervision
// as agents and with as little of the person's environment. It implements
// orchestrator.Commands and may be used concurrently.
type Commands struct {
	Launcher Launcher
}

var _ orchestrator.Commands = Commands{}

const (
	commandGrace = 2 * time.Second // between TERM and KILL
	tailSize     = 8 << 10
)

// Run gives a command to sh, or starts a program. What it leaves running
// in the background ends with it. When ctx ends, so does the command, and the
// error is ctx's cause.
func (c Commands) Run(ctx context.Context, req orchestrator.CommandRequest) (orchestrator.CommandResult, error) {
	person := req.Environ
	if person == nil {
		person = os.Environ()
	}
	began := time.Now()
	child, err := c.Launcher.Launch(ctx, Command{
		// This shell joins the streams; another one, or the program, sees the
		// command as it is.
		Path: "/bin/sh", Args: shellArgs(req), Dir: string(req.Dir),
		Env: append(environment(person, Definition{EnvPass: req.EnvPass}, ""), req.Env...),
	})
	if err != nil {
		return orchestrator.CommandResult{}, fmt.Errorf("run %q: %w", cmp.Or(req.Command, strings.Join(req.Args, " ")), err)
	}
	if req.Started != nil {
		req.Started(child.Identity())
	}
	out := &tail{pass: req.Output}
	var streams sync.WaitGroup // both end with the child
	streams.Go(func() {
		_, _ = child.Stdin().Write(req.Input) // it need not read
		_ = child.Stdin().Close()
	})
	streams.Go(func() { _, _ = io.Copy(out, child.Stdout()) })
	timedOut, err := c.await(ctx, child, req.Limit)
	streams.Wait()
	if err != nil {
		return orchestrator.CommandResult{}, fmt.Errorf("run %q: %w", cmp.Or(req.Command, strings.Join(req.Args, " ")), err)
	}
	return orchestrator.CommandResult{Exit: child.Exit().Code, TimedOut: timedOut, Tail: string(out.last), Took: time.Since(began)}, nil
}

func shellArgs(req orchestrator.CommandRequest) []string {
	if len(req.Args) > 0 {
		return append([]string{"-c", `exec "$0" "$@" 2>&1`}, req.Args...)
	}
	return []string{"-c", `exec /bin/sh -c "$0" 2>&1`, req.Command}
}

// await waits until all of the child is gone, and sees to it at the limit and
// at the end of ctx.
func (c Commands) await(ctx context.Context, child Child, limit time.Duration) (timedOut bool, err error) {
	var late <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-child.Done():
		return false, nil
	case <-late:
		timedOut = true
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if ended := child.End(context.WithoutCancel(ctx), commandGrace); ended != nil {
		return timedOut, ended
	}
	return timedOut, err
}

// tail passes on what is written and keeps the end of it.
type tail struct {
	pass func([]byte)
	last []byte
}

func (t *tail) Write(p []byte) (int, error) {
	if t.pass != nil {
		t.pass(p)
	}
	t.last = append(t.last, p...)
	if over := len(t.last) - tailSize; over > 0 {
		t.last = append(t.last[:0], t.last[over:]...)
	}
	return len(p), nil
}
