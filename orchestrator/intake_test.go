package orchestrator_test

import (
	"errors"
	"os"
	"testing"

	"boo/orchestrator"
)

// refused requires that nothing can be sent any more, and that it is said when
// to try again.
func (w *world) refused() {
	w.t.Helper()
	_, err := w.Send(w.t.Context(), orchestrator.SendRequest{Ref: orchestrator.ChatRef{Dir: w.repo}, Agent: "one", Prompt: "say too late"})
	if orchestrator.CodeOf(err) != orchestrator.CodeBusy || orchestrator.HintOf(err) == "" {
		w.t.Errorf("sent after the intake was closed: %v", err)
	}
}

func TestTheIntakeClosesOnlyWhileNothingIsUnderWay(t *testing.T) {
	w := newWorld(t)
	sent := w.send("one", "hang")
	w.await(sent.Turn, orchestrator.TurnRunning)
	if n := w.Retire(); n != 1 {
		t.Fatalf("%d turns are under way, want 1", n)
	}
	waiting := w.send("one", "say hello") // who comes meanwhile is served
	idle := make(chan error, 1)
	go func() { idle <- w.WaitIdle(t.Context()) }()
	w.check(w.Stop(t.Context(), sent.Turn, true))
	if h := w.follow(waiting.Turn, nil); h.state != orchestrator.TurnCompleted {
		t.Errorf("the turn that waited ended as %s: %s", h.state, h.reason)
	}
	w.check(<-idle)
	if n := w.Retire(); n != 0 {
		t.Fatalf("%d turns are under way, want none", n)
	}
	w.refused()
}

func TestDrainInterruptsWhatRunsAndKeepsIt(t *testing.T) {
	w := newWorld(t)
	sent := w.send("one", "write part.txt with x;;hang")
	w.await(sent.Turn, orchestrator.TurnRunning)
	waits := w.send("one", "say never")
	w.check(w.Drain(t.Context()))
	w.refused()
	for _, turn := range []orchestrator.TurnID{sent.Turn, waits.Turn} {
		if h := w.follow(turn, nil); h.state != orchestrator.TurnInterrupted {
			t.Errorf("turn ended as %s: %s", h.state, h.reason)
		}
	}
	// How far the agent came before it was ended is not said; what it wrote is kept.
	_, err := os.Stat(w.tree("part.txt"))
	if got := len(w.changes()); (err == nil) != (got == 1) || err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%d changes are pending, the file: %v", got, err)
	}
}
