package proc_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"boo/backends/proc"
)

func TestInsideKnowsWhatThisProcessStarted(t *testing.T) {
	for name, c := range map[string]struct {
		pid  int
		want bool
	}{
		"this process": {os.Getpid(), false},
		"its parent":   {os.Getppid(), false},
	} {
		if got, err := proc.Inside(c.pid); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	child := exec.CommandContext(t.Context(), "sh", "-c", "sleep 100 & echo $!; wait")
	child.Env = []string{"PATH=" + os.Getenv("PATH")} // no tag: its descent tells
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var grandchild int
	if _, err := fmt.Fscan(out, &grandchild); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{child.Process.Pid, grandchild} {
		if got, err := proc.Inside(pid); err != nil || !got {
			t.Errorf("process %d: %v, %v", pid, got, err)
		}
	}
	if p, err := os.FindProcess(grandchild); err == nil {
		_ = p.Kill()
	}
	_ = child.Wait()
	if _, err := proc.Inside(child.Process.Pid); err == nil {
		t.Error("of a process that is gone something is known")
	}
}
