package proc_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"boo/backends/proc"
	"boo/orchestrator"
)

func TestWithinFindsWhoWorksInADirectory(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Mkdir(dir+"/below", 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(dir + "/open.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	start := func(at string, stdout *os.File) int {
		cmd := exec.CommandContext(t.Context(), "cat")
		cmd.Dir = at
		if stdout != nil {
			cmd.Stdout = stdout
		}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
		return cmd.Process.Pid
	}
	inside, writing := start(dir+"/below", nil), start(elsewhere, file)
	stranger := start(elsewhere, nil)

	found, err := proc.Table{}.Within(dir)
	if err != nil {
		t.Fatal(err)
	}
	has := func(pid int) bool {
		return slices.ContainsFunc(found, func(p orchestrator.Inhabitant) bool { return p.PID == pid })
	}
	if !has(inside) || !has(writing) || has(stranger) || len(found) != 2 {
		t.Errorf("found %v, want %d and %d", found, inside, writing)
	}
}
