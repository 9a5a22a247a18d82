package install

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// grace is how long a program has to end after TERM.
const grace = 2 * time.Second

// runGroup runs cmd in a process group of its own and returns when it and the
// group are gone. When ctx ends the group gets TERM, and KILL after grace; the
// error is then ctx's. If this process is killed, so is cmd.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	// A process of another session can hold the pipes open for ever.
	cmd.WaitDelay = grace
	result := make(chan error, 1)
	go func() {
		// Pdeathsig looks at the thread that started the child: it has to live as
		// long. The thread ends with this goroutine.
		runtime.LockOSThread()
		result <- supervise(ctx, cmd)
	}()
	return <-result
}

func supervise(ctx context.Context, cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	group := -cmd.Process.Pid
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		endOnCancel(ctx, group, ended)
	}()
	awaitExit(cmd.Process.Pid)
	close(ended)
	<-watched
	// The leader is not reaped yet, so the group's number is nobody else's.
	_ = syscall.Kill(group, syscall.SIGKILL)
	err := cmd.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func endOnCancel(ctx context.Context, group int, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	_ = syscall.Kill(group, syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		_ = syscall.Kill(group, syscall.SIGKILL)
	}
}

// awaitExit waits for a child's end without reaping it.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
