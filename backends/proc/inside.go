package proc

import (
	"errors"
	"fmt"
	"io/fs"
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
	// A chain of ancestors changes when one of them ends.
	const attempts = 3
	for range attempts {
		var below bool
		if below, err = descends(pid, os.Getpid()); err == nil {
			return below, nil
		}
	}
	return false, fmt.Errorf("look at the ancestors of process %d: %w", pid, err)
}

// descends reports whether one process is an ancestor of another.
func descends(pid, from int) (bool, error) {
	below := 0
	for at := pid; at > 1; {
		p, err := readStat(at)
		if errors.Is(err, fs.ErrNotExist) && below != 0 {
			child, childErr := readStat(below)
			if childErr == nil && child.parent == at {
				// It lives and is hidden (proc(5), hidepid), so another user's, and
				// what it comes from is not of our runs.
				return false, nil
			}
		}
		if err != nil {
			return false, err
		}
		if p.parent == from {
			return true, nil
		}
		below, at = at, p.parent
	}
	return false, nil
}
