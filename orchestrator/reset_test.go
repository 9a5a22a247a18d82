package orchestrator_test

import (
	"strings"
	"testing"

	"boo/orchestrator"
)

func TestAResetAgentKnowsNothingAndTheRestStays(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "remember HERON;;write note.txt with kept")
	w.turn("two", "remember EGRET")
	spent, native := w.session("one").Usage.Input, w.session("one").NativeID
	done, err := w.ResetChat(t.Context(), w.ref(), orchestrator.ResetOptions{Agent: "one"})
	w.check(err)
	if len(done.Agents) != 1 || len(done.Sessions) != 1 || !done.Sessions[0].Deleted || done.Log != 0 {
		t.Errorf("reset %+v", done)
	}
	h := w.turn("one", "recall")
	if h.summary().Rung != orchestrator.RungNew || strings.Contains(h.text(), "HERON") || strings.Contains(h.text(), "EGRET") {
		t.Errorf("session %s, answer %q", h.summary().Rung, h.text())
	}
	if s := w.session("one"); s.NativeID == native || s.Generation != 1 || s.Usage.Input < spent {
		t.Errorf("the session is %+v", s)
	}
	if got := w.changes(); len(got) != 1 || got[0] != "note.txt by one" {
		t.Errorf("pending: %q", got)
	}
	if h := w.turn("two", "recall"); h.summary().Rung != orchestrator.RungWarm || w.session("two").Generation != 0 {
		t.Errorf("the other agent: session %s", h.summary().Rung)
	}
	_, err = w.ResetChat(t.Context(), w.ref(), orchestrator.ResetOptions{Agent: "nobody"})
	w.wantCode(orchestrator.CodeNotFound, err)
}

func TestAResetClearsTheLogAndTheNumbersGoOn(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "say hello")
	done, err := w.ResetChat(t.Context(), w.ref(), orchestrator.ResetOptions{ClearLog: true})
	w.check(err)
	if log, err := w.Log(t.Context(), w.ref(), 0, 0); err != nil || len(log) != 0 || done.Log == 0 {
		t.Errorf("the log after %d: %+v, %v", done.Log, log, err)
	}
	w.turn("one", "say again")
	log, err := w.Log(t.Context(), w.ref(), 0, 0)
	w.check(err)
	if len(log) == 0 || log[0].Seq != done.Log+1 || log[0].Kind != orchestrator.EventPrompt {
		t.Errorf("the log begins with %+v, want number %d", log[0], done.Log+1)
	}
}

func TestAResetEndsTheTurnThatRuns(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "remember HERON")
	sent := w.send("one", "hang")
	running := make(chan struct{})
	go func() {
		w.follow(sent.Turn, func(ev orchestrator.Event) {
			if ev.Kind == orchestrator.EventTurn && ev.State == orchestrator.TurnRunning {
				close(running)
			}
		})
	}()
	<-running
	_, err := w.ResetChat(t.Context(), w.ref(), orchestrator.ResetOptions{Now: true})
	w.check(err)
	if turn, err := w.full.Turn(t.Context(), sent.Turn); err != nil || turn.State != orchestrator.TurnCancelled {
		t.Errorf("the turn is %s, %v", turn.State, err)
	}
	if h := w.turn("one", "recall"); h.summary().Rung != orchestrator.RungNew || strings.Contains(h.text(), "HERON") {
		t.Errorf("session %s, answer %q", h.summary().Rung, h.text())
	}
}
