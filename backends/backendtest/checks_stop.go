package backendtest

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

// longTool is a tool call of two processes that would take very long. Each says
// its process id. A second time it does nothing: an agent that forgets the call
// that was stopped has the model play the whole prompt again.
const longTool = `run test -e pids && exit; echo $$ >>pids; sh -c 'echo $$ >>pids; sleep 1000; :'; :`

// stopEndsATool stops a turn while a tool of it runs, and leaves.
func stopEndsATool(t *testing.T, s Subject) {
	v := begin(t, s, t.TempDir(), "", 0)
	v.turn(t, "remember plum")
	o := v.prompt(t, longTool)
	v.tool(t, o)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := v.Stop(ctx, 3*time.Second); err != nil {
		t.Errorf("stop: %v", err)
	}
	wait(t, o, o.done, "end of a turn whose tool was stopped")
	if o.err != nil || o.result.Stop != "cancelled" {
		t.Errorf("ended with %q, %v", o.result.Stop, o.err)
	}
	for _, call := range o.tools {
		if call.Status != "completed" && call.Status != "failed" {
			t.Errorf("a tool call is left open: %+v", call)
		}
	}
	// The agent need not have ended all of it: goose leaves what its shell has
	// started, and qwen does not answer while that runs. boo ends what it stops.
	v.leave(t)
	if left := atWork(v.dir); len(left) > 0 {
		t.Errorf("processes %v of the tool live on", left)
	}
	back := begin(t, s, v.dir, v.Info().NativeID, v.turns)
	if back.Info().Rung != orchestrator.RungResumed {
		t.Errorf("session: %+v", back.Info())
	}
	if again := back.turn(t, "recall"); again.result.Stop != "end_turn" || !strings.Contains(again.said(), "remember plum") {
		t.Errorf("after the stop: %q, %q", again.result.Stop, again.said())
	}
}

// atWork returns the processes that are in a directory. The ids that those of a
// tool tell may be another sandbox's: codex gives each command one of its own.
func atWork(dir string) (pids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if at, err := os.Readlink(link); err != nil || at != dir {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil && alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// tool waits until the processes of longTool run, and returns their ids.
func (v *visit) tool(t *testing.T, o *told) []int {
	t.Helper()
	const processes = 2
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for {
		said, _ := os.ReadFile(filepath.Join(v.dir, "pids")) // not there yet
		if fields := strings.Fields(string(said)); len(fields) == processes && strings.HasSuffix(string(said), "\n") {
			var pids []int
			for _, f := range fields {
				pid, err := strconv.Atoi(f)
				if err != nil {
					t.Fatal(err)
				}
				pids = append(pids, pid)
			}
			return pids
		}
		select {
		case <-tick.C:
		case <-o.done:
			t.Fatalf("the turn is over, %v; the tool has said %q, the agent %.300q", o.err, said, o.said())
		case <-deadline:
			t.Fatalf("the tool has said %q after %s", said, patience)
		}
	}
}
