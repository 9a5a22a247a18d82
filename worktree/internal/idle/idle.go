// Package idle lets work of this process go behind everything else on the
// machine: behind other threads that want a processor, and behind other reads
// and writes of the disk.
//
// It promises that only the work it is asked for is slowed down: the priority
// belongs to a thread, and the thread ends with the work. Processes that are
// started from there go behind as well. Where the system has no such priorities
// the work is done all the same.
//
// It refuses to know what the work is.
package idle

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Run runs do on a thread of its own that goes behind others, and returns its
// error. Goroutines that do starts are none of that thread's; see [Thread].
func Run(do func() error) error {
	done := make(chan error, 1)
	go func() {
		Thread()
		done <- do()
	}()
	return <-done
}

// The class of ioprio_set(2) that is served when nobody else wants the disk.
const (
	whoThread = 1
	idleClass = 3 << 13
)

// Thread gives the calling goroutine a thread for itself, for the rest of its
// life, that goes behind others.
func Thread() {
	runtime.LockOSThread() // without an unlock the thread ends with the goroutine
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 19)
	_, _, _ = unix.Syscall(unix.SYS_IOPRIO_SET, whoThread, 0, idleClass)
}
