package backendtest

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"

	"boo/orchestrator"
)

// killedAgentComesBack kills the process that the backend told of, in the
// middle of a turn.
func killedAgentComesBack(t *testing.T, s Subject) {
	v := begin(t, s, t.TempDir(), "", 0)
	v.turn(t, "remember plum")
	o := v.prompt(t, "write half.txt with done ;; stream 100000 words every 20ms")
	wait(t, o, o.first, "first word")
	for _, p := range v.processes {
		if err := kill(p); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, o, o.done, "end of a killed turn")
	if orchestrator.CodeOf(o.err) != orchestrator.CodeAgent {
		t.Errorf("a killed agent: %v, ended with %q", o.err, o.result.Stop)
	}
	if got, err := os.ReadFile(v.dir + "/half.txt"); err != nil || string(got) != "done\n" {
		t.Errorf("its work: %q, %v", got, err)
	}
	v.leave(t)
	back := begin(t, s, v.dir, v.Info().NativeID, v.turns)
	if back.Info().Rung != orchestrator.RungResumed {
		t.Errorf("session: %+v", back.Info())
	}
	if o := back.turn(t, "recall"); !strings.Contains(o.said(), "remember plum") {
		t.Errorf("said %q", o.said())
	}
}

// kill kills a process that the subject started for this test.
func kill(p orchestrator.Process) error {
	process, err := os.FindProcess(p.PID)
	if err != nil {
		return err
	}
	return process.Signal(syscall.SIGKILL)
}

func closeEndsATurn(t *testing.T, s Subject) {
	v := begin(t, s, t.TempDir(), "", 0)
	o := v.prompt(t, "stream 100000 words every 20ms")
	wait(t, o, o.first, "first word")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := v.Close(ctx); err != nil {
		t.Errorf("close: %v", err)
	}
	wait(t, o, o.done, "end of a turn that was closed")
	if o.err == nil && o.result.Stop == "end_turn" {
		t.Error("a turn that was cut off ended well")
	}
	v.gone(t)
}
