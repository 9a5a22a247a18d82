package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"boo/orchestrator"
)

// readyFD is the descriptor by which a daemon in the background says that it
// serves, or why it does not.
const readyFD = 3

// starting is what it says: nothing but its end if it died.
type starting struct {
	Ready bool   `json:"ready"`
	Fault *fault `json:"fault,omitempty"`
}

// TellReady tells whoever started this process in the background that it
// serves, or, if err is not nil, that it ends, and why.
func TellReady(err error) {
	f := os.NewFile(readyFD, "ready")
	word := starting{Ready: err == nil}
	if err != nil {
		word.Fault = faultOf(err)
	}
	_ = json.NewEncoder(f).Encode(word) // who started it may have left
	_ = f.Close()
}

// Program is how this very program is run as a daemon in the background.
type Program struct {
	Args    []string // after the program's name
	Environ []string
}

// spawn starts a daemon in a session of its own and returns when it serves. Its
// output goes to the log. What the daemon says is its own error; when it died
// without a word, the error ends with the end of the log.
func (p Place) spawn(ctx context.Context, program Program) error {
	talk, err := openLog(p.Log)
	if err != nil {
		return err
	}
	defer talk.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	defer null.Close()
	ready, theirs, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	defer ready.Close()
	// The link leads to the file that runs, also when another took its place.
	child, err := os.StartProcess("/proc/self/exe", append([]string{"boo"}, program.Args...), &os.ProcAttr{
		Dir:   "/",
		Env:   program.Environ,
		Files: []*os.File{null, talk, talk, theirs},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	_ = theirs.Close()
	if err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = ready.SetReadDeadline(time.Unix(0, 1)) })
	defer stop()
	said, _ := io.ReadAll(io.LimitReader(ready, 1<<20))
	var word starting
	if json.Unmarshal(bytes.TrimSpace(said), &word) == nil && word.Ready {
		return child.Release() // it outlives this process
	}
	if ctx.Err() != nil {
		_ = child.Release()
		return orchestrator.Errorf(orchestrator.CodeInterrupted, "wait for the daemon to start: %w", context.Cause(ctx))
	}
	state, _ := child.Wait()
	if word.Fault != nil {
		return word.Fault.err()
	}
	return orchestrator.Errorf(orchestrator.CodeInternal, "the daemon ended before it served (%v); its log %s ends:\n%s", state, p.Log, tail(p.Log)).
		WithHint("boo daemon run")
}
