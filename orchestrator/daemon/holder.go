package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Holder says who holds a lock.
type Holder struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"` // when it got the lock
	// Started is the start of the process in clock ticks after boot, field 22 of
	// /proc/PID/stat (proc_pid_stat(5)), by which a pid that was used again is
	// told apart; 0 where there is no /proc.
	Started uint64 `json:"started,omitempty"`
}

// sign writes down who holds the lock. It is for messages: that it could not be
// written takes nothing from the lock.
func sign(f *os.File) {
	pid := os.Getpid()
	text, err := json.Marshal(Holder{PID: pid, Since: time.Now().UTC(), Started: started(pid)})
	if err != nil {
		return
	}
	_ = f.Truncate(0)
	_, _ = f.WriteAt(append(text, '\n'), 0)
}

// Holder says who holds a lock that was found taken. ok is false if nobody
// does, or if its holder has not signed it yet: the answer is for messages, and
// nothing may be decided by it.
func (l *Locks) Holder(name string) (h Holder, ok bool) {
	path, err := l.path(name)
	if err != nil {
		return h, false
	}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &h) != nil {
		return Holder{}, false
	}
	// Who was killed could not take its signature back.
	if started(h.PID) != h.Started {
		return Holder{}, false
	}
	return h, true
}

// started returns the start of a process, 0 if it cannot be found out.
func started(pid int) uint64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in the second field may contain anything, a ")" among it.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const field = 22 - 3 // the third one comes first here
	if len(fields) <= field {
		return 0
	}
	var ticks uint64
	if _, err := fmt.Sscan(string(fields[field]), &ticks); err != nil {
		return 0
	}
	return ticks
}

// died reports whether the last daemon of the place ended without taking its
// signature back: who is killed cannot.
func (p Place) died() (bool, error) {
	locks, err := p.locks()
	if err != nil {
		return false, err
	}
	path, err := locks.path(lifeLock)
	if err != nil {
		return false, err
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 {
		return false, nil // nobody has signed: nobody died
	}
	f, err := take(path)
	if err != nil || f == nil {
		return false, refused(locks.dir, err)
	}
	return true, f.Close() // the signature stays
}
