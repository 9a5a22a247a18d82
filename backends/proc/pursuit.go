package proc

import (
	"os"
	"syscall"
)

// pursuit is the ending of a set of processes: those that belongs names, those
// once found, and the descendants of both. What was found stays found when its
// parent dies and it is handed to another.
type pursuit struct {
	belongs func(process) bool
	found   map[identity]bool // true once it was asked to end
}

func newPursuit(belongs func(process) bool) *pursuit {
	return &pursuit{belongs: belongs, found: map[identity]bool{}}
}

// round looks for the set once and signals what lives of it: TERM to each
// process only once, KILL always. It returns what was alive before the signal,
// and how many of these had not been seen before.
func (p *pursuit) round(sig syscall.Signal) (alive []process, fresh int, err error) {
	table, err := processTable()
	if err != nil {
		return nil, 0, err
	}
	for _, m := range p.members(table) {
		if m.gone() {
			continue
		}
		alive = append(alive, m)
		asked, seen := p.found[m.identity]
		if !seen {
			fresh++
		}
		if sig == syscall.SIGKILL || !asked {
			send(m.identity, sig)
		}
		if sig == syscall.SIGTERM && !asked {
			// A stopped process hears nothing but KILL until it is continued.
			send(m.identity, syscall.SIGCONT)
		}
		p.found[m.identity] = true
	}
	return alive, fresh, nil
}

// members selects the set from the table. The calling process is never in it.
func (p *pursuit) members(table []process) []process {
	self := os.Getpid()
	children := map[int][]process{}
	var members []process
	in := map[int]bool{self: true}
	add := func(m process) {
		if !in[m.pid] {
			in[m.pid] = true
			members = append(members, m)
		}
	}
	for _, m := range table {
		children[m.parent] = append(children[m.parent], m)
		if _, known := p.found[m.identity]; known || p.belongs(m) {
			add(m)
		}
	}
	for i := 0; i < len(members); i++ {
		parent := members[i]
		for _, child := range children[parent.pid] {
			// An older "child" is one of a former holder of that pid.
			if child.start >= parent.start {
				add(child)
			}
		}
	}
	return members
}

// send signals exactly that process. The handle is taken first and the start
// time compared then, so a pid that was used again in between is seen; where
// the kernel has pidfds the signal goes through one.
func send(id identity, sig syscall.Signal) {
	handle, err := os.FindProcess(id.pid)
	if err != nil {
		return
	}
	defer func() { _ = handle.Release() }()
	if now, err := readStat(id.pid); err == nil && now.identity == id {
		// An error means that it has ended, or may not be signalled; the next
		// round sees which.
		_ = handle.Signal(sig)
	}
}
