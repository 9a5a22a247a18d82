package proc_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

// launchFar starts a process that launches a helper, so that it can be killed.
func launchFar(t *testing.T, path string, args ...string) (*exec.Cmd, io.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"helper", "launcher", path}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

func TestNothingOutlivesAKilledLauncher(t *testing.T) {
	t.Parallel()
	path := program(t)
	cmd, out := launchFar(t, path, "family")
	all := members(t, out, familySize)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if left := outlasting(soon, func() []string { return named(path) }); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if left := living(all); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestNothingOutlivesALauncherKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	slots := make(chan struct{}, 5)
	for range 30 {
		slots <- struct{}{}
		path := program(t)
		cmd, _ := launchFar(t, path, "family")
		moment := time.After(rand.N(80 * time.Millisecond))
		go func() {
			defer func() { <-slots }()
			<-moment
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if left := outlasting(soon, func() []string { return named(path) }); len(left) > 0 {
				t.Errorf("still there: %v", left)
			}
		}()
	}
	for range cap(slots) {
		slots <- struct{}{}
	}
}

// killTogether kills a launching process and others of its as if at one moment.
func killTogether(t *testing.T, cmd *exec.Cmd, others ...int) {
	t.Helper()
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, pid := range append(others, cmd.Process.Pid) {
			if err := syscall.Kill(pid, sig); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait()
}

func TestTheSentinelEndsWhatLauncherAndSupervisorKilledTogetherLeave(t *testing.T) {
	t.Parallel()
	path := program(t)
	cmd, out := launchFar(t, path, "forks", "3")
	lines := bufio.NewReader(out)
	var agent int
	var tag string
	if _, err := fmt.Fscanf(lines, "agent %d %s\n", &agent, &tag); err != nil {
		t.Fatal(err)
	}
	all := members(t, lines, 4)
	sentinel := sentinelOf(t, cmd.Process.Pid)
	killTogether(t, cmd, parent(t, agent))
	left := outlasting(patience, func() []string { return append(named(path), commandOf(sentinel)...) })
	if len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if left := living(all); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestASentinelThatWasKilledIsReplaced(t *testing.T) {
	// Not parallel: the process has one.
	path := program(t)
	end(t, launch(t, path, "polite"), 0)
	first := sentinelOf(t, os.Getpid())
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// The kernel takes a moment to let a killed process be waited for.
	if outlasting(patience, func() []int {
		end(t, launch(t, path, "polite"), 0)
		if now := sentinels(t, os.Getpid()); len(now) == 0 || now[0] == first {
			return []int{first}
		}
		return nil
	}) != nil {
		t.Errorf("process %d was killed, and has no successor", first)
	}
}

func TestLauncherSupervisorAndSentinelKilledTogetherLeaveStraysThatTheTagFinds(t *testing.T) {
	t.Parallel()
	path := program(t)
	cmd, out := launchFar(t, path, "forks", "3")
	lines := bufio.NewReader(out)
	var p orchestrator.Process
	if _, err := fmt.Fscanf(lines, "agent %d %s\n", &p.PID, &p.Tag); err != nil {
		t.Fatal(err)
	}
	all := members(t, lines, 4)
	killTogether(t, cmd, sentinelOf(t, cmd.Process.Pid), parent(t, p.PID))
	p.BootID = table.Self().BootID
	if err := table.EndStrays(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if left := living(all); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if left := named(path); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestNothingOutlivesAKilledSupervisor(t *testing.T) {
	t.Parallel()
	path := program(t)
	child := launch(t, path, "family")
	all := members(t, child.Stdout(), familySize)
	start := time.Now()
	if err := syscall.Kill(parent(t, child.Identity().PID), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-child.Done()
	if took := time.Since(start); took > soon {
		t.Errorf("took %v", took)
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
	end(t, child, 0)
}

func TestStuckSupervisorIsReplaced(t *testing.T) {
	t.Parallel()
	path := program(t)
	child := launch(t, path, "family")
	members(t, child.Stdout(), familySize)
	if err := syscall.Kill(parent(t, child.Identity().PID), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	end(t, child, 0)
	if left := named(path); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestSupervisorEndsAllOnTERM(t *testing.T) {
	t.Parallel()
	path := program(t)
	child := launch(t, path, "polite")
	members(t, child.Stdout(), 1)
	if err := syscall.Kill(parent(t, child.Identity().PID), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if exit := child.Exit(); exit.Signal != "terminated" {
		t.Errorf("exit %+v", exit)
	}
}
