package install_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"boo/backends/install"
	"boo/orchestrator"
)

// TestMain lets the test binary be an installer that can be killed.
func TestMain(m *testing.M) {
	if data := os.Getenv("BOO_TEST_INSTALL"); data != "" {
		_, err := install.Installer{Data: data, Environ: os.Environ()}.Install(context.Background(), tiny(), nil)
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// alive reports whether a process still runs: one that nobody has reaped yet
// does not.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	after := strings.TrimSpace(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}

// gone waits until a process is no more.
func gone(t *testing.T, pid int) {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(time.Minute)
	for alive(pid) {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// pidIn reads a process id that a script wrote.
func pidIn(t *testing.T, path string) int {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(time.Minute)
	for {
		data, _ := os.ReadFile(path)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
			return pid
		}
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("no process id in %s", path)
		}
	}
}

func TestStopEndsNpmAndItsChildren(t *testing.T) {
	for _, trap := range []string{"", "trap '' TERM; "} {
		in := install.Installer{Data: t.TempDir(), Environ: environ(t.TempDir(), "")}
		pids := filepath.Join(t.TempDir(), "pid")
		npmThat(t, &in, trap+"sleep 1000 & echo $! > "+pids+"; wait")
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() {
			_, err := in.Install(ctx, tiny(), nil)
			result <- err
		}()
		pid := pidIn(t, pids)
		cancel()
		if err := <-result; orchestrator.CodeOf(err) != orchestrator.CodeInterrupted {
			t.Errorf("got %v", err)
		}
		gone(t, pid)
		if got := entries(t, in); got != "" {
			t.Errorf("left behind: %s", got)
		}
	}
}

func TestStopWhileWaitingForAnother(t *testing.T) {
	r := serveRegistry(t, pack{says: "1.2.3"})
	in := installer(t, r)
	first := make(chan error, 1)
	go func() {
		_, err := in.Install(t.Context(), tiny(), nil)
		first <- err
	}()
	<-r.arrived
	ctx, cancel := context.WithCancel(t.Context())
	_, err := in.Install(ctx, tiny(), func(int64, int64, string) { cancel() })
	if orchestrator.CodeOf(err) != orchestrator.CodeInterrupted {
		t.Errorf("got %v", err)
	}
	close(r.open)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

func TestKilledInstallerLeavesOnlyStaging(t *testing.T) {
	r := serveRegistry(t, pack{says: "1.2.3"})
	in := installer(t, r)
	killed := exec.Command(os.Args[0])
	killed.Env = append(in.Environ, "BOO_TEST_INSTALL="+in.Data)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	<-r.arrived
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	if got := entries(t, in); !strings.HasPrefix(got, ".staging-") {
		t.Errorf("left behind: %s", got)
	}
	if _, _, ok := in.Installed(tiny()); ok {
		t.Error("half an installation passes for whole")
	}
	close(r.open)
	if _, err := in.Install(t.Context(), tiny(), nil); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, in); got != "1.2.3" {
		t.Errorf("left behind: %s", got)
	}
}
