package orchestrator_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"boo/orchestrator"
)

// prompts is everything that the agent has been sent in the world, as it wrote
// it down.
func (w *world) prompts(agent orchestrator.AgentName) string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.data, "agent-"+string(agent), "*.jsonl"))
	w.check(err)
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		w.check(err)
		all.Write(text)
	}
	return all.String()
}

// checkpoints lists those of the chat last used as "step status(open calls)",
// the oldest first.
func (w *world) checkpoints() string {
	w.t.Helper()
	chat, err := w.Chat(w.t.Context(), orchestrator.ChatRef{Dir: w.repo})
	w.check(err)
	list, err := w.full.Checkpoints(w.t.Context(), orchestrator.CheckpointQuery{Chat: chat.ID})
	w.check(err)
	said := make([]string, len(list))
	for _, c := range list {
		var open []string
		for _, call := range c.Open {
			open = append(open, call.Title)
		}
		if c.Fault() != "" || c.Tree == "" || c.NativeID == "" {
			w.t.Errorf("checkpoint %+v", c)
		}
		said[c.Step-1] = fmt.Sprint(c.Step, " ", c.Name(), " ", strings.Join(open, ","))
	}
	return strings.Join(said, "; ")
}

// killIn sends a prompt, and kills the agent in the call of a title.
func (w *world) killIn(prompt, title string) (state orchestrator.TurnState, lost error) {
	w.t.Helper()
	killed := false
	lost = w.Follow(w.t.Context(), w.send("one", prompt).Turn, 0, func(ev orchestrator.Event) error {
		if ev.Kind == orchestrator.EventTurn {
			state = ev.State
		}
		if ev.Kind != orchestrator.EventTool || ev.Tool.Title != title || killed {
			return nil
		}
		killed = true
		process, err := os.FindProcess(w.pool.Live()[0].PID)
		w.check(err)
		return process.Signal(syscall.SIGKILL)
	})
	return state, lost
}

const unknownOutcome = "whether they were carried out is not known"

func TestAnAgentIsToldWhatItWasCutOffIn(t *testing.T) {
	w := newWorld(t)
	if state, err := w.killIn("write a.txt with x;;run sleep 1000", "sleep 1000"); state != orchestrator.TurnInterrupted {
		t.Fatalf("ended as %s, %v", state, err)
	}
	if got, want := w.checkpoints(), "1 in_progress write a.txt; 2 in_progress sleep 1000; 3 in_progress(interrupted) sleep 1000"; got != want {
		t.Errorf("checkpoints %q, want %q", got, want)
	}
	w.follow(w.send("one", "fail -32603 the model is gone").Turn, nil) // not heard for sure: told again
	w.turn("one", "say hi")
	if told := w.prompts("one"); strings.Count(told, unknownOutcome) != 2 || !strings.Contains(told, `sleep 1000`) || strings.Contains(told, "write a.txt {") {
		t.Errorf("it was told: %s", told)
	}
	w.turn("one", "say hi")
	if told := w.prompts("one"); strings.Count(told, unknownOutcome) != 2 {
		t.Errorf("it was told again: %s", told)
	}
	if got := w.checkpoints(); !strings.HasSuffix(got, "4 failed ; 5 completed ; 6 completed ") {
		t.Errorf("checkpoints %q", got)
	}
}

func TestWhatADeadBooLeftIsToldToo(t *testing.T) {
	w := newWorld(t)
	w.full.is.Store(true) // the end of the turn is not written down
	if state, err := w.killIn("write a.txt with x;;run sleep 1000", "sleep 1000"); err == nil {
		t.Fatalf("ended as %s", state)
	}
	w.full.is.Store(false)
	done, err := w.Recover(t.Context())
	if err != nil || len(done) != 1 {
		t.Fatalf("recovered %v, %v", done, err)
	}
	if turn, err := w.Turn(t.Context(), done[0].Turn); err != nil || turn.Turn.Calls != 2 || turn.Checkpoint == nil || turn.Checkpoint.Step != 3 {
		t.Errorf("the turn is shown as %+v, %v", turn, err)
	}
	if got, want := w.checkpoints(), "1 in_progress write a.txt; 2 in_progress sleep 1000; 3 in_progress(interrupted) sleep 1000"; got != want {
		t.Errorf("checkpoints %q, want %q", got, want)
	}
	w.turn("one", "say hi")
	w.turn("two", "say hi")
	if told := w.prompts("one"); strings.Count(told, unknownOutcome) != 1 {
		t.Errorf("it was told: %s", told)
	}
	if told := w.prompts("two"); !strings.Contains(told, "begun, outcome unknown: sleep 1000") {
		t.Errorf("another agent was told: %s", told)
	}
}

func TestATurnHasSoManySteps(t *testing.T) {
	w := newWorld(t)
	w.Policy.MaxSteps = 2
	h := w.follow(w.send("one", "run true;;run false;;run echo;;hang").Turn, nil)
	if h.state != orchestrator.TurnHalted || !strings.HasPrefix(h.reason, "max_steps: ") {
		t.Errorf("ended as %s: %s", h.state, h.reason)
	}
	if got := w.checkpoints(); !strings.Contains(got, "; 4 halted(max_steps)") {
		t.Errorf("checkpoints %q", got)
	}
}

// Whichever of its steps an agent is killed in, and by whatever is sent next:
// boo has nothing done twice.
func TestNothingIsDoneTwiceWhereverAnAgentIsKilled(t *testing.T) {
	w := newWorld(t)
	for _, at := range []string{"1", "2", "3"} {
		prompt := fmt.Sprintf("run echo %[1]sa >>log;;run echo %[1]sb >>log;;run echo %[1]sc >>log;;run sleep 1000", at)
		title := map[string]string{"1": "echo 1b >>log", "2": "echo 2c >>log", "3": "sleep 1000"}[at]
		sent := w.send("one", "say begin", inNewChat)
		w.follow(sent.Turn, nil)
		if state, err := w.killIn(prompt, title); state != orchestrator.TurnInterrupted {
			t.Fatalf("ended as %s, %v", state, err)
		}
		w.turn("one", "run echo next >>log")
		lines := strings.Fields(w.readTree("log"))
		if slices.Sort(lines); len(slices.Compact(slices.Clone(lines))) != len(lines) || !slices.Contains(lines, at+"a") {
			t.Errorf("killed in %q, the file holds %q", title, lines)
		}
		if told := w.prompts("one"); strings.Count(told, "run echo "+at+"a") != 1 {
			t.Errorf("the prompt was sent again: %s", told)
		}
	}
}
