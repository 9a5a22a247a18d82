package proc

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	orphanGrace   = 2 * time.Second        // TERM to KILL when the launching process is gone
	leftoverGrace = 500 * time.Millisecond // the same for what outlives the main process
	pace          = 25 * time.Millisecond  // between two looks at the process table while ending
	maxRounds     = 50                     // looks without a pause while new processes turn up
)

// supervisor is the state of a supervisor process. One goroutine, on the
// thread that the agent was forked from, does everything but wait for orders.
type supervisor struct {
	reports *os.File
	main    int // pid of the agent
	status  syscall.WaitStatus
	ended   bool // main was reaped, status holds

	pursuit  *pursuit
	deadline time.Time    // KILL from here on
	tick     *time.Ticker // nil until ending
}

// supervise is the life of a supervisor process; see the package comment.
func supervise() error {
	s := &supervisor{reports: os.NewFile(reportsFD, "reports")}
	in, err := prepare()
	if err != nil {
		return err
	}
	wake, quit := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(wake, unix.SIGCHLD)
	signal.Notify(quit, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)

	cmd, err := readCommand(in)
	if err != nil {
		return fmt.Errorf("read the command: %w", err)
	}
	s.main, err = syscall.ForkExec(cmd.Path, append([]string{cmd.Path}, cmd.Args...), &syscall.ProcAttr{
		Dir:   cmd.Dir,
		Env:   cmd.Env,
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		errno, _ := errors.AsType[syscall.Errno](err)
		return s.report(fmt.Sprintf(refusedReport, errno))
	}
	orders := make(chan time.Duration)
	go readOrders(in, orders)
	if err := s.announce(); err != nil {
		s.end(0)
	}
	s.pursue(wake, quit, orders)
	return s.report(exitReport(s.status))
}

// prepare sets the process up: it adopts the orphans below it, none of its
// descriptors reaches the agent, and it keeps no directory busy.
func prepare() (*bufio.Reader, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become subreaper: %w", err)
	}
	// Also descriptors that boo itself was started with.
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, fmt.Errorf("list descriptors: %w", err)
	}
	for _, entry := range fds {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	// Non-blocking, so that waiting for orders needs no thread.
	if err := unix.SetNonblock(ordersFD, true); err != nil {
		return nil, fmt.Errorf("open orders: %w", err)
	}
	// A matter of looks: top shows this name, and "exe" otherwise.
	_ = os.WriteFile("/proc/self/comm", []byte(supervisorName), 0)
	return bufio.NewReader(os.NewFile(ordersFD, "orders")), nil
}

// announce reports the agent's identity and lets go of its pipes, so that the
// other side sees when the agent closes them. Standard error stays: a crash of
// the supervisor shall be heard, and it ends last anyway.
func (s *supervisor) announce() error {
	// Not reaped yet, so its pid is its own even if it has ended already.
	agent, err := readStat(s.main)
	if err != nil {
		return err
	}
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open /dev/null: %w", err)
	}
	defer func() { _ = unix.Close(null) }()
	for fd := range 2 {
		if err := unix.Dup3(null, fd, unix.O_CLOEXEC); err != nil {
			return fmt.Errorf("let go of descriptor %d: %w", fd, err)
		}
	}
	return s.report(fmt.Sprintf(startedReport, agent.pid, agent.start))
}

// report writes one line. The reader may be dead; then nobody has to know.
func (s *supervisor) report(line string) error {
	_, err := s.reports.WriteString(line)
	if errors.Is(err, unix.EPIPE) {
		return nil
	}
	return err
}

// pursue waits until no child is left, ending the tree when told to or when
// the main process has ended.
func (s *supervisor) pursue(wake, quit <-chan os.Signal, orders <-chan time.Duration) {
	for s.reap() {
		var tick <-chan time.Time
		if s.tick != nil {
			tick = s.tick.C
		}
		select {
		case <-wake:
		case <-quit:
			s.end(orphanGrace)
		case grace := <-orders:
			s.end(grace)
		case <-tick:
			s.hunt()
		}
	}
}

// reap takes the status of every dead child and reports whether any child is
// left. What the main process leaves behind is ended.
func (s *supervisor) reap() bool {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return false
		case pid == 0:
			if s.ended && s.tick == nil {
				s.end(leftoverGrace)
			}
			return true
		case pid == s.main:
			s.status, s.ended = status, true
		}
	}
}

// end starts to end the tree, or brings the deadline nearer.
func (s *supervisor) end(grace time.Duration) {
	deadline := time.Now().Add(grace)
	if s.tick == nil {
		self := os.Getpid()
		s.pursuit = newPursuit(func(p process) bool { return p.parent == self })
		s.tick, s.deadline = time.NewTicker(pace), deadline
	}
	if deadline.Before(s.deadline) {
		s.deadline = deadline
	}
	s.hunt()
}

func (s *supervisor) hunt() {
	if time.Now().Before(s.deadline) {
		_, _, _ = s.pursuit.round(syscall.SIGTERM)
		return
	}
	for range maxRounds {
		// What is killed forks no more, so looking again at once outruns
		// whatever forks.
		if _, fresh, err := s.pursuit.round(syscall.SIGKILL); err != nil || fresh == 0 {
			return
		}
	}
}
