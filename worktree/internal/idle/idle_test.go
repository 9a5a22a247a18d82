package idle_test

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"boo/worktree/internal/idle"
)

// nice is 20 less the niceness of the calling thread (getpriority(2)).
func nice(t *testing.T) int {
	t.Helper()
	value, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	return 20 - value
}

func TestOnlyTheWorkGoesBehindOthers(t *testing.T) {
	before, want := nice(t), errors.New("done")
	inside, beside := 0, 0
	err := idle.Run(func() error {
		inside = nice(t)
		started := make(chan int)
		go func() { started <- nice(t) }()
		beside = <-started
		return want
	})
	if err != want {
		t.Errorf("error %v", err)
	}
	if inside != 19 || beside != before || nice(t) != before {
		t.Errorf("niceness %d inside, %d beside, %d after; it was %d", inside, beside, nice(t), before)
	}
}
