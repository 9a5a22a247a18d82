package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sentinelName is the sentinel's argv[0], as [supervisorName] is a supervisor's.
const sentinelName = "boo-sentinel"

// lifetimeFD is the read end of a pipe that only the launching process can write
// to, and never does.
const lifetimeFD = 3

// sentinel is the launching process's side of its sentinel. The zero value has
// none yet.
type sentinel struct {
	mu       sync.Mutex
	pid      int      // 0 if there is none
	lifetime *os.File // held open as long as this process lives
}

// guard is this process's sentinel; see the package comment.
var guard sentinel

// ensure starts the sentinel, unless it runs.
func (s *sentinel) ensure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pid != 0 {
		// A child that nobody else waits for, so the pid is its own until here.
		if pid, err := syscall.Wait4(s.pid, nil, syscall.WNOHANG, nil); err == nil && pid == 0 {
			return nil
		}
		s.pid = 0
		_ = s.lifetime.Close()
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = null.Close() }()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("open a pipe: %w", err)
	}
	defer func() { _ = unix.Close(ends[0]) }()
	none := null.Fd()
	s.pid, err = syscall.ForkExec("/proc/self/exe", []string{sentinelName, origin()}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   []string{"GOMAXPROCS=1", "GOGC=20"},
		Files: []uintptr{none, none, none, uintptr(ends[0])},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		s.pid = 0
		_ = unix.Close(ends[1])
		return err
	}
	s.lifetime = os.NewFile(uintptr(ends[1]), "pipe to the sentinel")
	return nil
}

// watchOver is the life of a sentinel: it waits for the end of the process whose
// runs have that origin, lets their supervisors do their work, and ends what
// those that were killed as well have left.
func watchOver(origin string) error {
	// It ends when its work is done, not when a terminal or a session does.
	signal.Ignore(unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGPIPE)
	_ = os.WriteFile("/proc/self/comm", []byte(sentinelName), 0) // as in prepare
	for {
		n, err := unix.Read(lifetimeFD, make([]byte, 1))
		if n == 0 && err == nil {
			break
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for the end of the launching process: %w", err)
		}
	}
	awaitSupervisors(origin, time.Now().Add(orphanGrace+leftoverGrace))
	return endAll(context.Background(), strayGrace, func(p process) bool { return ofOrigin(p.pid, origin) })
}

// awaitSupervisors returns when no supervisor of that origin is left, or with
// the deadline: those that are left are stuck.
func awaitSupervisors(origin string, deadline time.Time) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for time.Now().Before(deadline) {
		table, err := processTable()
		if err != nil || !anySupervisor(table, origin) {
			return
		}
		<-tick.C
	}
}

func anySupervisor(table []process, origin string) bool {
	for _, p := range table {
		if p.gone() || !ofOrigin(p.pid, origin) {
			continue
		}
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		if err == nil && strings.HasPrefix(string(line), supervisorName+"\x00") {
			return true
		}
	}
	return false
}

func ofOrigin(pid int, origin string) bool {
	tag, err := tagOf(pid)
	return err == nil && strings.HasPrefix(tag, origin+".")
}
