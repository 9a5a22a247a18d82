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

func TestLauncherAndSupervisorKilledTogetherLeaveStraysThatTheTagFinds(t *testing.T) {
	t.Parallel()
	path := program(t)
	cmd, out := launchFar(t, path, "forks", "3")
	lines := bufio.NewReader(out)
	var p orchestrator.Process
	if _, err := fmt.Fscanf(lines, "agent %d %s\n", &p.PID, &p.Tag); err != nil {
		t.Fatal(err)
	}
	all := members(t, lines, 4)
	supervisor := parent(t, p.PID)
	if err := syscall.Kill(supervisor, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if err := syscall.Kill(supervisor, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
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
