package proc

import (
	"fmt"
	"os"
	"strings"
)

// Inside reports whether a process belongs to a run that this process has
// started: it descends from this process, or carries a tag of its runs. It is an
// error if that cannot be found out, as when the process has ended.
func Inside(pid int) (bool, error) {
	tag, err := tagOf(pid)
	if err != nil {
		return false, fmt.Errorf("look at process %d: %w", pid, err)
	}
	if strings.HasPrefix(tag, origin()+".") {
		return true, nil
	}
	self := os.Getpid()
	// What an orphan's parent is cannot change into a descendant of ours, so a
	// chain that breaks off in the midst has to be read anew only once or twice.
	for at := pid; at > 1; {
		p, err := readStat(at)
		if err != nil {
			return false, fmt.Errorf("look at the ancestors of process %d: %w", pid, err)
		}
		if p.parent == self {
			return true, nil
		}
		at = p.parent
	}
	return false, nil
}
