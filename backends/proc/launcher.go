package proc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"boo/backends"
)

// startLimit bounds the ending of what a failed start leaves.
const startLimit = 10 * time.Second

// Launcher starts programs under a supervisor process of their own. It
// implements backends.Launcher; the zero value is ready, and it may be used
// concurrently. The program has to call [Main] first thing in its main.
type Launcher struct{}

var _ backends.Launcher = Launcher{}

// Launch starts cmd with its three standard descriptors as pipes, in a process
// group and a session that no terminal signals, with [TagVariable] added to its
// environment. What it wrote to standard output can still be read after the
// tree is gone; having been read to its end frees the descriptor.
//
// When it returns an error, nothing is running. A program that cannot be
// executed is an *orchestrator.Error of code agent.
func (Launcher) Launch(ctx context.Context, cmd backends.Command) (backends.Child, error) {
	c, err := launch(ctx, cmd)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func launch(ctx context.Context, cmd backends.Command) (*child, error) {
	if !ready.Load() {
		return nil, fmt.Errorf("start %s: this program's main does not call proc.Main", cmd.Path)
	}
	if !filepath.IsAbs(cmd.Path) || !filepath.IsAbs(cmd.Dir) {
		return nil, fmt.Errorf("start %q in %q: path and directory must be absolute", cmd.Path, cmd.Dir)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, context.Cause(ctx))
	}
	boot, err := bootID()
	if err != nil {
		return nil, err
	}
	tag := newTag()
	cmd.Env = tagged(cmd.Env, tag)
	order, err := encodeCommand(cmd)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	if err := guard.ensure(); err != nil {
		return nil, fmt.Errorf("start sentinel of %s: %w", cmd.Path, err)
	}
	c, err := spawn(cmd, tag)
	if err != nil {
		return nil, fmt.Errorf("start supervisor of %s: %w", cmd.Path, err)
	}
	c.id.BootID = boot
	if err := c.begin(ctx, cmd, order); err != nil {
		return nil, err
	}
	return c, nil
}

// spawn starts the supervisor, which then waits for its command.
func spawn(cmd backends.Command, tag string) (*child, error) {
	p, err := openPipes()
	if err != nil {
		return nil, err
	}
	defer p.closeTheirs()
	// The link leads to the running binary even if another has replaced it.
	pid, err := syscall.ForkExec("/proc/self/exe", []string{supervisorName, cmd.Path}, &syscall.ProcAttr{
		Dir: "/",
		// Few threads and a small heap: there is one of these per agent.
		Env:   []string{"GOMAXPROCS=1", "GOGC=20", TagVariable + "=" + tag},
		Files: p.files(),
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		p.closeOurs()
		return nil, err
	}
	return newChild(pid, tag, p), nil
}

// begin hands the command over and waits until it is executed. On error the
// child has been ended.
func (c *child) begin(ctx context.Context, cmd backends.Command, order []byte) error {
	reports := bufio.NewReader(c.reports)
	// Killed, the supervisor closes its pipes, and all below returns.
	stop := context.AfterFunc(ctx, c.kill)
	err := c.start(cmd, order, reports)
	if !stop() {
		err = fmt.Errorf("start %s: %w", cmd.Path, context.Cause(ctx))
	}
	if err != nil {
		c.kill()
	}
	go c.watch(reports)
	if err == nil {
		return nil
	}
	select {
	case <-c.done:
		return errors.Join(err, c.leak)
	case <-time.After(startLimit):
		return fmt.Errorf("%w (and it has not ended within %v)", err, startLimit)
	}
}

func (c *child) start(cmd backends.Command, order []byte, reports *bufio.Reader) error {
	if _, err := c.orders.Write(order); err != nil {
		return fmt.Errorf("hand %s to its supervisor: %w", cmd.Path, err)
	}
	line, err := reports.ReadString('\n')
	if err != nil {
		return fmt.Errorf("start %s: its supervisor has died: %w", cmd.Path, err)
	}
	var errno syscall.Errno
	if _, err := fmt.Sscanf(line, refusedReport, &errno); err == nil {
		c.settled = true
		return explain(cmd, errno)
	}
	if _, err := fmt.Sscanf(line, startedReport, &c.id.PID, &c.id.StartTime); err != nil {
		return fmt.Errorf("start %s: read report %q: %w", cmd.Path, line, err)
	}
	return nil
}
