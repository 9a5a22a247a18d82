package proc

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
)

// supervisorName is the supervisor's argv[0]: how the binary knows itself, and
// what ps shows.
const supervisorName = "boo-supervisor"

// ready says that a second start of this binary would be what it is started as. Without
// it a Launch would run the whole program again, and that one might Launch.
var ready atomic.Bool

// Main turns the process into a supervisor or a sentinel, and does not return, if
// that is what it was started as; otherwise it does nothing. It has to be the first
// call in main of every program that uses [Launcher], and in TestMain of tests.
func Main() {
	switch {
	case len(os.Args) == 2 && os.Args[0] == sentinelName:
		exit(sentinelName, watchOver(os.Args[1]))
	case len(os.Args) == 0 || os.Args[0] != supervisorName:
		ready.Store(true)
		return
	}
	// The kernel sends the parent death signal when the thread that forked the
	// agent ends, so the agent is started and outlived by one pinned thread.
	runtime.LockOSThread()
	exit(supervisorName, supervise())
}

func exit(name string, err error) {
	status := 0
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		status = 1
	}
	// Not os.Exit: its hooks are for the program that this is not, and those of
	// the race detector take a second.
	syscall.Exit(status)
}
