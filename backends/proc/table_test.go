package proc_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"boo/backends/proc"
	"boo/orchestrator"
)

var table proc.Table

func TestSelfIsAlive(t *testing.T) {
	t.Parallel()
	self := table.Self()
	if self.PID != os.Getpid() || self.StartTime == 0 || self.BootID == "" || !table.Alive(self) {
		t.Fatalf("self %+v, alive %v", self, table.Alive(self))
	}
}

func TestAliveKnowsOneProcessOnly(t *testing.T) {
	t.Parallel()
	self := table.Self()
	for name, other := range map[string]orchestrator.Owner{
		"another boot":       {BootID: "x", PID: self.PID, StartTime: self.StartTime},
		"an earlier process": {BootID: self.BootID, PID: self.PID, StartTime: self.StartTime - 1},
		"a free pid":         {BootID: self.BootID, PID: 1 << 30, StartTime: self.StartTime},
		"nobody":             {},
	} {
		if table.Alive(other) {
			t.Errorf("%s is alive", name)
		}
	}
}

// bystander starts a helper that no launcher knows, and returns it.
func bystander(t *testing.T, path string, env []string, args ...string) orchestrator.Owner {
	t.Helper()
	cmd := exec.Command(path, append([]string{"helper"}, args...)...)
	cmd.Env = env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return members(t, out, 1)[0]
}

func TestAliveIsNotMisledByAZombie(t *testing.T) {
	t.Parallel()
	// Reaped only by the cleanup.
	dead := bystander(t, program(t), nil, "polite")
	if err := syscall.Kill(dead.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if left := outlasting(soon, func() []orchestrator.Owner { return living([]orchestrator.Owner{dead}) }); len(left) > 0 {
		t.Errorf("alive: %v", left)
	}
}

func TestNobodyElseIsSignalled(t *testing.T) {
	t.Parallel()
	path := program(t)
	others := []orchestrator.Owner{
		bystander(t, path, nil, "polite"),
		bystander(t, path, []string{"BOO_RUN="}, "polite"),
		bystander(t, path, []string{"BOO_RUN=another"}, "polite"),
	}
	ended := launch(t, path, "family")
	others = append(others, bystander(t, path, []string{"BOO_RUN=" + ended.Identity().Tag + "x"}, "polite"))
	members(t, ended.Stdout(), familySize)
	end(t, ended, 100*time.Millisecond)

	orphaned := launch(t, path, "family")
	members(t, orphaned.Stdout(), familySize)
	if err := syscall.Kill(parent(t, orphaned.Identity().PID), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-orphaned.Done()

	for _, p := range []orchestrator.Process{
		ended.Identity(),
		{},
		{BootID: table.Self().BootID},
		{BootID: table.Self().BootID, PID: others[0].PID, StartTime: others[0].StartTime - 1},
		{BootID: "another boot", PID: others[0].PID, StartTime: others[0].StartTime, Tag: "another"},
	} {
		if err := table.EndStrays(t.Context(), p); err != nil {
			t.Error(err)
		}
	}
	if left := living(others); len(left) != len(others) {
		t.Errorf("of %v only %v are left", others, left)
	}
}

func TestEndStraysFindsByIdentityAndByTag(t *testing.T) {
	t.Parallel()
	path := program(t)
	boot := table.Self().BootID
	one := bystander(t, path, nil, "polite")
	two := bystander(t, path, []string{"A=1", "BOO_RUN=mine", "B=2"}, "deaf")
	if err := table.EndStrays(t.Context(), orchestrator.Process{
		BootID: boot, PID: one.PID, StartTime: one.StartTime, Tag: "mine",
	}); err != nil {
		t.Fatal(err)
	}
	if left := living([]orchestrator.Owner{one, two}); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestEndStraysEndsASupervisedTreeToo(t *testing.T) {
	t.Parallel()
	path := program(t)
	child := launch(t, path, "family")
	all := members(t, child.Stdout(), familySize)
	if err := table.EndStrays(t.Context(), child.Identity()); err != nil {
		t.Fatal(err)
	}
	if left := living(all); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	<-child.Done()
}

func TestEndStraysEndsWithItsContext(t *testing.T) {
	t.Parallel()
	deaf := bystander(t, program(t), nil, "deaf")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := table.EndStrays(ctx, orchestrator.Process{BootID: deaf.BootID, PID: deaf.PID, StartTime: deaf.StartTime})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}
