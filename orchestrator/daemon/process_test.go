package daemon_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"boo/orchestrator/daemon"
)

// As a child, the test program takes the lock "x" in the directory that it is
// given, or none, says so, and stays until its input ends.
const childOf = "BOO_TEST_LOCK_CHILD"

func TestMain(m *testing.M) {
	if data, ok := os.LookupEnv(daemonIn); ok {
		daemonMain(data)
		return
	}
	if path, ok := os.LookupEnv(logIn); ok {
		logMain(path)
		return
	}
	dir, ok := os.LookupEnv(childOf)
	if !ok {
		os.Exit(m.Run())
	}
	if dir != "" {
		locks, err := daemon.NewLocks(dir)
		if err == nil {
			_, ok, err = locks.TryLock("x")
		}
		if err != nil || !ok {
			fmt.Println("not taken:", err)
			os.Exit(1)
		}
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

type child struct {
	*exec.Cmd
	stdin io.Closer
}

func start(t *testing.T, dir string) child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childOf+"="+dir)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || line != "ready\n" {
		t.Fatalf("child said %q (%v)", line, err)
	}
	return child{cmd, stdin}
}

func TestALockEndsWithAProcessThatIsKilled(t *testing.T) {
	locks, dir := newLocks(t)
	holder := start(t, dir)
	if isFree(t, locks, "x") {
		t.Fatal("two processes have the lock")
	}
	h, ok := locks.Holder("x")
	if !ok || h.PID != holder.Process.Pid || time.Since(h.Since) > time.Minute {
		t.Fatalf("holder %+v, %v; want process %d", h, ok, holder.Process.Pid)
	}
	waiting, got := make(chan struct{}), make(chan error, 1)
	go func() {
		release, err := locks.Lock(t.Context(), "x", func() { close(waiting) })
		if err == nil {
			release()
		}
		got <- err
	}()
	<-waiting
	must(t, holder.Process.Kill()) // SIGKILL
	_ = holder.Wait()
	must(t, <-got)
	if h, ok := locks.Holder("x"); ok {
		t.Fatalf("nobody holds it, but %+v is named", h)
	}
}

func TestNobodyIsNamedAfterAHolderThatWasKilled(t *testing.T) {
	locks, dir := newLocks(t)
	holder := start(t, dir)
	must(t, holder.Process.Kill())
	_ = holder.Wait()
	if h, ok := locks.Holder("x"); ok {
		t.Fatalf("%+v is named", h)
	}
}

func TestChildrenDoNotInheritALock(t *testing.T) {
	locks, _ := newLocks(t)
	release := take(t, locks, "x")
	start(t, "") // lives on until the test ends
	if h, ok := locks.Holder("x"); !ok || h.PID != os.Getpid() {
		t.Fatalf("holder %+v, %v", h, ok)
	}
	release()
	if !isFree(t, locks, "x") {
		t.Fatal("the child has kept the lock")
	}
}
