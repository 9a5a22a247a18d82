package proc_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"boo/backends"
	"boo/backends/proc"
	"boo/orchestrator"
)

// patience bounds waits for what a busy machine may delay.
const patience = time.Minute

// soon is how long things may take that should not take long at all.
const soon = 5 * time.Second

// program links the test binary to a name that only this test uses, so that
// every process that comes of it can be told by its command line.
func program(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "agent")
	if err := os.Symlink(exe, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func command(path string, args ...string) backends.Command {
	return backends.Command{Path: path, Args: append([]string{"helper"}, args...), Env: os.Environ(), Dir: "/"}
}

// launch launches a helper and ends it with the test.
func launch(t *testing.T, path string, args ...string) backends.Child {
	t.Helper()
	child, err := proc.Launcher{}.Launch(t.Context(), command(path, args...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, child, 0) })
	return child
}

func end(t *testing.T, child backends.Child, grace time.Duration) {
	t.Helper()
	if err := child.End(t.Context(), grace); err != nil && t.Context().Err() == nil {
		t.Errorf("end: %v", err)
	}
	<-child.Done()
}

// members reads announcements until there are n.
func members(t *testing.T, out io.Reader, n int) []orchestrator.Owner {
	t.Helper()
	lines := bufio.NewScanner(out)
	var all []orchestrator.Owner
	for len(all) < n && lines.Scan() {
		var name string
		o := orchestrator.Owner{BootID: proc.Table{}.Self().BootID}
		if _, err := fmt.Sscanf(lines.Text(), "member %s %d %d", &name, &o.PID, &o.StartTime); err == nil {
			all = append(all, o)
		}
	}
	if len(all) != n {
		t.Fatalf("%d of %d processes announced themselves", len(all), n)
	}
	return all
}

func living(owners []orchestrator.Owner) []orchestrator.Owner {
	return slices.DeleteFunc(slices.Clone(owners), func(o orchestrator.Owner) bool { return !proc.Table{}.Alive(o) })
}

// named lists the processes with path in their command line: agents, and the
// supervisors of these.
func named(path string) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), path) {
			found = append(found, file+": "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// commandOf returns the command line of a process that lives, or nothing.
func commandOf(pid int) []string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // a zombie has none
	if len(line) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d: %q", pid, line)}
}

// sentinelOf returns the pid of the sentinel of a process.
func sentinelOf(t *testing.T, launcher int) int {
	t.Helper()
	pids := sentinels(t, launcher)
	if len(pids) != 1 {
		t.Fatalf("process %d has the sentinels %v", launcher, pids)
	}
	return pids[0]
}

func sentinels(t *testing.T, launcher int) []int {
	t.Helper()
	return slices.DeleteFunc(children(t, launcher), func(pid int) bool {
		line := commandOf(pid)
		return len(line) == 0 || !strings.Contains(line[0], `"boo-sentinel\x00`)
	})
}

// children lists the children of a process.
func children(t *testing.T, parent int) (pids []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		status, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", parent)) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// outlasting waits until left returns nothing, and returns what is left then.
func outlasting[T any](limit time.Duration, left func() []T) []T {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(limit)
	for {
		rest := left()
		if len(rest) == 0 || time.Now().After(deadline) {
			return rest
		}
		<-tick.C
	}
}

// parent returns the pid of a process's parent.
func parent(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if value, ok := strings.CutPrefix(line, "PPid:"); ok {
			ppid, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil {
				t.Fatal(err)
			}
			return ppid
		}
	}
	t.Fatalf("process %d has no parent", pid)
	return 0
}
