package proc_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"boo/backends"
)

func TestEndAsksFirst(t *testing.T) {
	t.Parallel()
	child := launch(t, program(t), "polite")
	all := members(t, child.Stdout(), 1)
	start := time.Now()
	end(t, child, time.Minute)
	if took := time.Since(start); took > soon {
		t.Errorf("took %v", took)
	}
	if exit := child.Exit(); exit != (backends.Exit{Code: -1, Signal: "terminated"}) {
		t.Errorf("exit %+v", exit)
	}
	if left := living(all); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestEndKillsWhateverIsLeftAfterGrace(t *testing.T) {
	t.Parallel()
	path := program(t)
	child := launch(t, path, "family")
	all := members(t, child.Stdout(), familySize)
	const grace = 300 * time.Millisecond
	start := time.Now()
	end(t, child, grace)
	if took := time.Since(start); took < grace || took > soon {
		t.Errorf("took %v with a grace of %v", took, grace)
	}
	if left := living(all); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if left := named(path); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if exit := child.Exit(); exit != (backends.Exit{Code: -1, Signal: "killed"}) {
		t.Errorf("exit %+v", exit)
	}
}

func TestEndWakesStoppedProcesses(t *testing.T) {
	t.Parallel()
	child := launch(t, program(t), "polite")
	all := members(t, child.Stdout(), 1)
	if err := syscall.Kill(all[0].PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	end(t, child, time.Minute)
	if exit := child.Exit(); exit.Signal != "terminated" {
		t.Errorf("exit %+v", exit)
	}
}

func TestEndCopesWithManyForks(t *testing.T) {
	t.Parallel()
	path := program(t)
	child := launch(t, path, "forks", "50")
	members(t, child.Stdout(), 51)
	end(t, child, 0)
	if left := named(path); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestEndOutrunsWhatNeverStopsToFork(t *testing.T) {
	t.Parallel()
	path := program(t)
	child := launch(t, path, "storm")
	members(t, child.Stdout(), 1)
	end(t, child, 100*time.Millisecond)
	if left := named(path); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestEndMayBeCalledByManyAndAgain(t *testing.T) {
	t.Parallel()
	child := launch(t, program(t), "family")
	members(t, child.Stdout(), familySize)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { end(t, child, 100*time.Millisecond) })
	}
	wg.Wait()
	end(t, child, time.Minute)
}

func TestEndThatIsCutOffGoesOn(t *testing.T) {
	t.Parallel()
	child := launch(t, program(t), "family")
	members(t, child.Stdout(), familySize)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := child.End(ctx, 200*time.Millisecond); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	<-child.Done()
}

func TestWhatOutlivesTheMainProcessIsEnded(t *testing.T) {
	t.Parallel()
	path := program(t)
	child := launch(t, path, "holder")
	// The child left behind holds standard output, and yet this ends.
	out, err := io.ReadAll(child.Stdout())
	if err != nil || !strings.Contains(string(out), "last words\n") {
		t.Fatalf("read %q, %v", out, err)
	}
	if exit := child.Exit(); exit != (backends.Exit{Code: 3}) {
		t.Errorf("exit %+v", exit)
	}
	if left := named(path); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestAPartOfATreeIsEndedAndTheRestLivesOn(t *testing.T) {
	t.Parallel()
	path := program(t)
	child, other := launch(t, path, "parts"), launch(t, path, "parts")
	all, others := members(t, child.Stdout(), 3), members(t, other.Stdout(), 3)
	for _, step := range []struct {
		entry string
		left  int
	}{{"PART=c", 3}, {"PART=a", 2}, {"PART=a", 2}, {"PART=b", 1}} {
		if err := child.EndPart(t.Context(), step.entry, 0); err != nil {
			t.Fatal(err)
		}
		if left := living(all); len(left) != step.left {
			t.Errorf("after the end of %s: %v are left", step.entry, left)
		}
	}
	if left := living(others); len(left) != len(others) {
		t.Errorf("of another tree are left: %v", left)
	}
}
