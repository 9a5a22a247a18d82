package main

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// restTime passes after the last turn before memory is given back: who
	// follows a turn is told of its end meanwhile.
	restTime = 5 * time.Second
	// restMemory is what the program may keep when nothing runs, in bytes. The
	// runtime gives the rest back by itself, but only within many minutes.
	restMemory = 10 << 20
)

// giveBackLater has giveBack called when nothing has run for a while: restart is
// called when nothing runs, and returns at once.
func giveBackLater() (restart func()) {
	timer := time.AfterFunc(restTime, giveBack)
	return func() { timer.Reset(restTime) }
}

// giveBack returns memory to the system if there is much of it.
func giveBack() {
	held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(held)
	if held[0].Value.Uint64()-held[1].Value.Uint64() > restMemory {
		debug.FreeOSMemory()
	}
}
