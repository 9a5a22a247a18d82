package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Identity says which boo a process is, and what it goes by. A command and a
// daemon whose identities differ do not work together for longer than they
// have to.
type Identity struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol"` // of the API; what has another one cannot be spoken with
	Build    string `json:"build"`    // of the program's file
	Config   string `json:"config"`   // of the configuration's file
}

// Identify finds out the identity of the running process. config is the path of
// the configuration, which need not be there.
func Identify(version string, protocol int, config string) (Identity, error) {
	id := Identity{Version: version, Protocol: protocol}
	// The link leads to the file that runs, also when another took its place.
	info, err := os.Stat("/proc/self/exe")
	if err != nil {
		return id, fmt.Errorf("find out which boo this is: %w", err)
	}
	stat := info.Sys().(*syscall.Stat_t) // os.Stat gives no other on Linux
	id.Build = digest(fmt.Sprintln(stat.Dev, stat.Ino, info.Size(), info.ModTime().UnixNano()))
	text, err := os.ReadFile(config)
	switch {
	case err == nil:
		id.Config = digest(config + "\n" + string(text))
	case errors.Is(err, fs.ErrNotExist):
		id.Config = digest(config)
	default:
		return id, fmt.Errorf("read the configuration: %w", err)
	}
	return id, nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Info is what a daemon says about itself.
type Info struct {
	Identity
	PID     int       `json:"pid"`
	Started time.Time `json:"started_at"`
	Socket  string    `json:"socket"`
	Memory  int64     `json:"memory_bytes"`      // of it that is resident
	Leaving bool      `json:"leaving,omitempty"` // it ends as soon as it is idle
}
