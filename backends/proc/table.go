package proc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"

	"boo/orchestrator"
)

// bootID tells this boot from every other; see random(4).
var bootID = sync.OnceValues(func() (string, error) {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("read the boot id: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
})

// Table is the machine's process table, seen with boo's eyes. It implements
// orchestrator.Processes; the zero value is ready, and methods may be called
// concurrently.
type Table struct{}

var _ orchestrator.Processes = Table{}

// Self identifies the running process. A part that the system does not tell is
// zero.
func (Table) Self() orchestrator.Owner {
	boot, _ := bootID()
	self, _ := readStat(os.Getpid())
	return orchestrator.Owner{BootID: boot, PID: os.Getpid(), StartTime: self.start}
}

// Alive reports whether exactly that process still lives. A zombie does not,
// nor one that the kernel is clearing away: that runs no code any more, but may
// not have let go of all its locks.
// What cannot be found out counts as alive.
func (Table) Alive(o orchestrator.Owner) bool {
	if boot, err := bootID(); err == nil && boot != o.BootID {
		return false
	}
	p, err := readStat(o.PID)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH):
		return false
	case err != nil:
		return true
	}
	return p.start == o.StartTime && !p.gone() && !p.dying()
}

// EndStrays ends what is left of p's process tree: the process with exactly
// its identity, every process that carries its tag, and their descendants.
// They get TERM, and KILL after 1 s. It returns when they are gone, with an
// error when ctx ends before or when one of them cannot be killed. Of another
// boot nothing is left.
func (Table) EndStrays(ctx context.Context, p orchestrator.Process) error {
	boot, err := bootID()
	if err != nil {
		return err
	}
	if boot != p.BootID {
		return nil
	}
	main := identity{pid: p.PID, start: p.StartTime}
	return endAll(ctx, strayGrace, func(q process) bool {
		return q.identity == main || hasTag(q.pid, p.Tag)
	})
}
