package proc

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// pipes are the five pipes between the launching process and a supervisor:
// standard input, output and error of the agent, orders, reports.
type pipes struct {
	ours   [5]*os.File
	theirs [5]int
}

// oursWrites says for each pipe which end is ours.
var oursWrites = [5]bool{0: true, ordersFD: true}

func openPipes() (*pipes, error) {
	p := &pipes{theirs: [5]int{-1, -1, -1, -1, -1}}
	for i, write := range oursWrites {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
			p.closeTheirs()
			p.closeOurs()
			return nil, fmt.Errorf("open a pipe: %w", err)
		}
		ours, theirs := ends[0], ends[1]
		if write {
			ours, theirs = theirs, ours
		}
		p.theirs[i] = theirs
		// Only our end is non-blocking, for deadlines and for reads without a
		// thread each; an agent expects the usual kind. It cannot fail on a
		// descriptor just opened.
		_ = unix.SetNonblock(ours, true)
		p.ours[i] = os.NewFile(uintptr(ours), "pipe to a supervised process")
	}
	return p, nil
}

// files lists the supervisor's ends in the order of its descriptors.
func (p *pipes) files() []uintptr {
	fds := make([]uintptr, len(p.theirs))
	for i, fd := range p.theirs {
		fds[i] = uintptr(fd)
	}
	return fds
}

func (p *pipes) closeTheirs() {
	for _, fd := range p.theirs {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

func (p *pipes) closeOurs() {
	for _, file := range p.ours {
		if file != nil {
			_ = file.Close()
		}
	}
}
