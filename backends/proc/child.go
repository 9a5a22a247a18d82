package proc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"boo/backends"
	"boo/orchestrator"
)

// overtime is how long after its grace a supervisor may take to end the tree
// before it is taken for stuck.
const overtime = 5 * time.Second

// child is the launching process's side of a supervised tree. The goroutine
// watch owns it, and ends with closing done.
type child struct {
	id      orchestrator.Process
	stdin   *os.File
	stdout  output
	stderr  output
	tail    tail
	orders  *os.File
	reports *os.File
	drained chan struct{} // standard error was read to its end

	mu         sync.Mutex
	supervisor int // pid; 0 once it has been reaped

	settled bool // the supervisor has said that nothing is left
	exit    backends.Exit
	leak    error // what could not be ended
	done    chan struct{}
}

func newChild(supervisor int, tag string, p *pipes) *child {
	c := &child{
		id:         orchestrator.Process{Tag: tag},
		stdin:      p.ours[0],
		stdout:     output{p.ours[1]},
		stderr:     output{p.ours[2]},
		orders:     p.ours[ordersFD],
		reports:    p.ours[reportsFD],
		drained:    make(chan struct{}),
		supervisor: supervisor,
		exit:       backends.Exit{Code: -1, Signal: syscall.SIGKILL.String()},
		done:       make(chan struct{}),
	}
	go func() {
		defer close(c.drained)
		_, _ = io.Copy(&c.tail, c.stderr)
	}()
	return c
}

// Stdin is the agent's standard input. It is closed when the tree is gone.
func (c *child) Stdin() io.WriteCloser { return c.stdin }

// Stdout is the agent's standard output. It ends when all of the tree has
// closed it, at the latest when the tree is gone.
func (c *child) Stdout() io.Reader { return c.stdout }

func (c *child) Identity() orchestrator.Process { return c.id }
func (c *child) Stderr() string                 { return c.tail.String() }
func (c *child) Done() <-chan struct{}          { return c.done }

// Exit tells how the main process ended; "killed" if nobody saw how.
func (c *child) Exit() backends.Exit {
	<-c.done
	return c.exit
}

// End orders the supervisor to end the tree and waits until that is done; the
// work goes on if ctx ends before. A supervisor that is stuck is killed, and
// the tree is then ended from here. The error names what withstood KILL.
func (c *child) End(ctx context.Context, grace time.Duration) error {
	// An error means that the supervisor is gone; watch then does its work.
	_, _ = io.WriteString(c.orders, endOrder(grace))
	late := time.NewTimer(grace + overtime)
	defer late.Stop()
	for {
		select {
		case <-c.done:
			return c.leak
		case <-late.C:
			c.kill()
		case <-ctx.Done():
			if c.gone() {
				return c.leak
			}
			return fmt.Errorf("end process %d: %w", c.id.PID, context.Cause(ctx))
		}
	}
}

// EndPart ends a part of the tree, from here: its supervisor knows of no parts.
func (c *child) EndPart(ctx context.Context, entry string, grace time.Duration) error {
	err := endAll(ctx, grace, func(p process) bool {
		env := environOf(p.pid)
		return env.has(TagVariable+"="+c.id.Tag) && env.has(entry)
	})
	if err != nil {
		return fmt.Errorf("end what process %d has started: %w", c.id.PID, err)
	}
	return nil
}

func (c *child) gone() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// kill kills the supervisor. Until it is reaped, its pid is its own.
func (c *child) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.supervisor != 0 {
		_ = unix.Kill(c.supervisor, unix.SIGKILL)
	}
}

// watch reads the supervisor's reports to their end, ends what a supervisor
// that died has left, and reaps it.
func (c *child) watch(reports *bufio.Reader) {
	defer close(c.done)
	for {
		line, err := reports.ReadString('\n')
		if err != nil {
			break
		}
		if exit, ok := parseExit(line); ok {
			c.exit, c.settled = exit, true
		}
	}
	c.awaitSupervisor()
	if !c.settled {
		c.leak = c.sweep()
	}
	c.reap()
	c.stderr.settle()
	c.stdout.settle()
	<-c.drained
	for _, file := range []*os.File{c.stdin, c.orders, c.reports} {
		_ = file.Close()
	}
}

// awaitSupervisor waits until the supervisor has ended, and leaves it a
// zombie: nothing else can get its pid, or a session of that number.
func (c *child) awaitSupervisor() {
	for {
		err := unix.Waitid(unix.P_PID, c.supervisor, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// sweep ends what is left of the tree of a supervisor that died.
func (c *child) sweep() error {
	return endAll(context.Background(), strayGrace, func(p process) bool {
		return p.session == c.supervisor || hasTag(p.pid, c.id.Tag)
	})
}

func (c *child) reap() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if _, err := unix.Wait4(c.supervisor, nil, 0, nil); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	c.supervisor = 0
}
