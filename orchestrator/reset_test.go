package orchestrator_test

import (
	"os"
	"slices"
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
	if len(done.Agents) != 1 || len(done.Sessions) != 1 || !done.Sessions[0].Deleted || done.Log != 0 || len(done.Restarted) != 1 {
		t.Errorf("reset %+v", done)
	}
	h := w.turn("one", "recall") // waits for the agent, which is started again
	if h.summary().Rung != orchestrator.RungWarm || strings.Contains(h.text(), "HERON") || strings.Contains(h.text(), "EGRET") {
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
	for _, after := range []orchestrator.Seq{0, done.Log - 1, done.Log} {
		old, err := w.ClearedLog(t.Context(), w.ref(), after, 0)
		w.check(err)
		if len(old) != int(done.Log-after) || len(old) > 0 && old[0].Seq != after+1 {
			t.Errorf("the cleared log after %d has %d events", after, len(old))
		}
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
	done, err := w.ResetChat(t.Context(), w.ref(), orchestrator.ResetOptions{Now: true})
	w.check(err)
	if len(done.Restarted) != 1 {
		t.Errorf("reset %+v: its turn ran", done)
	}
	if turn, err := w.full.Turn(t.Context(), sent.Turn); err != nil || turn.State != orchestrator.TurnCancelled {
		t.Errorf("the turn is %s, %v", turn.State, err)
	}
	if h := w.turn("one", "recall"); h.summary().Rung != orchestrator.RungWarm || strings.Contains(h.text(), "HERON") {
		t.Errorf("session %s, answer %q", h.summary().Rung, h.text())
	}
}

func TestAResetStartsOnlyWhatWasLive(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "say hello")
	w.turn("two", "say hello")
	w.check(w.Restart(t.Context(), w.ref(), "one"))
	done, err := w.ResetChat(t.Context(), w.ref(), orchestrator.ResetOptions{})
	w.check(err)
	if len(done.Restarted) != 1 || done.Restarted[0] != "two" {
		t.Errorf("reset %+v", done)
	}
	if h := w.turn("one", "recall"); h.summary().Rung != orchestrator.RungNew {
		t.Errorf("session %s of what was down", h.summary().Rung)
	}
	if h := w.turn("two", "recall"); h.summary().Rung != orchestrator.RungWarm || w.session("two").Generation != 1 {
		t.Errorf("session %s of what was live", h.summary().Rung)
	}
}

// An agent that cannot be started again is what the next turn finds, and the
// reset holds.
func TestAResetHoldsWhereTheAgentCannotBeStarted(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "say hello")
	chat, err := w.Chat(t.Context(), w.ref())
	w.check(err)
	w.check(os.RemoveAll(string(chat.Worktree.Dir)))
	_, err = w.ResetChat(t.Context(), w.ref(), orchestrator.ResetOptions{})
	w.check(err)
	if h := w.turn("one", "recall"); h.state != orchestrator.TurnCompleted || h.summary().Rung != orchestrator.RungNew || w.session("one").Generation != 1 {
		t.Errorf("the turn %s, %s, session %s", h.state, h.reason, h.summary().Rung)
	}
	log, err := w.Log(t.Context(), w.ref(), 0, 0)
	w.check(err)
	if !slices.ContainsFunc(log, func(ev orchestrator.Event) bool { return strings.HasPrefix(ev.Text, "one was not started again: ") }) {
		t.Errorf("the log tells nothing: %+v", log)
	}
}
