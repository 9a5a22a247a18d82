package orchestrator_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"boo/orchestrator"
)

func TestAnAgentGoesOnInItsOwnSession(t *testing.T) {
	w := newWorld(t)
	if h := w.turn("one", "remember HERON"); h.summary().Rung != orchestrator.RungNew {
		t.Errorf("the first session is %s", h.summary().Rung)
	}
	for _, want := range []orchestrator.Rung{orchestrator.RungWarm, orchestrator.RungResumed} {
		h := w.turn("one", "recall")
		if h.summary().Rung != want || !strings.Contains(h.text(), "HERON") {
			t.Errorf("session %s, want %s, answer %q", h.summary().Rung, want, h.text())
		}
		w.check(w.Restart(t.Context(), orchestrator.ChatRef{Dir: w.repo}, ""))
	}
}

func TestTheNextAgentKnowsWhatTheLastOneWasTold(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "remember HERON")
	h := w.turn("two", "recall")
	if h.summary().Rung != orchestrator.RungHistory || !strings.Contains(h.text(), "HERON") {
		t.Errorf("session %s, answer %q", h.summary().Rung, h.text())
	}
	// And the first one hears of the second's turn, in its old session.
	for word, want := range map[string]orchestrator.Rung{"EGRET": orchestrator.RungWarm, "STORK": orchestrator.RungResumed} {
		if want == orchestrator.RungResumed {
			w.check(w.Restart(t.Context(), orchestrator.ChatRef{Dir: w.repo}, "one"))
		}
		w.turn("two", "remember "+word)
		h = w.turn("one", "recall")
		if h.summary().Rung != want || !strings.Contains(h.text(), word) {
			t.Errorf("session %s, want %s, answer %q", h.summary().Rung, want, h.text())
		}
	}
	// What it has been told once it is not told again.
	log, err := w.Log(t.Context(), orchestrator.ChatRef{Dir: w.repo}, 0, 10_000)
	w.check(err)
	for _, ev := range log {
		if ev.Kind == orchestrator.EventPrompt && strings.Contains(ev.Text, "earlier-turns") {
			t.Errorf("the stored prompt has the history in it: %q", ev.Text)
		}
	}
}

func TestChangesCarryTheNamesOfThoseWhoMadeThem(t *testing.T) {
	w := newWorld(t)
	w.turn("one", `edit story.txt replace "one" by "ONE"`)
	w.turn("two", `edit story.txt replace "three" by "THREE";;write two.txt with two`)
	w.check(os.WriteFile(w.tree("mine.txt"), []byte("by hand\n"), 0o644))
	w.turn("one", "say nothing to do")
	want := []string{"mine.txt by you", "story.txt by one,two", "two.txt by two"}
	if got := w.changes(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTurnsOfAChatAreTakenOneByOneInOrder(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "say hello")
	var turns []orchestrator.TurnID
	for _, prompt := range []string{"run echo 1 >>order.txt", "run echo 2 >>order.txt", "run echo 3 >>order.txt;;run cat order.txt"} {
		turns = append(turns, w.send("one", prompt).Turn)
	}
	for _, turn := range turns {
		if h := w.follow(turn, nil); h.state != orchestrator.TurnCompleted {
			t.Fatalf("%s: %s", h.state, h.reason)
		}
	}
	got, err := os.ReadFile(w.tree("order.txt"))
	w.check(err)
	if string(got) != "1\n2\n3\n" {
		t.Errorf("order %q", got)
	}
}

func TestTheQueueOfAChatIsBounded(t *testing.T) {
	w := newWorld(t)
	first := w.send("one", "hang")
	w.await(first.Turn, orchestrator.TurnRunning)
	for range 16 {
		w.send("one", "say hello")
	}
	_, err := w.Send(t.Context(), orchestrator.SendRequest{Ref: orchestrator.ChatRef{Dir: w.repo}, Agent: "one", Prompt: "one too many"})
	if orchestrator.CodeOf(err) != orchestrator.CodeBusy {
		t.Errorf("the 17th waiting turn was answered %v", err)
	}
	w.check(w.Close()) // ends all of them
}

func TestChatsRunSideBySide(t *testing.T) {
	w := newWorld(t)
	isNew := func(r *orchestrator.SendRequest) { r.New = true }
	blocked := w.send("one", "hang", isNew)
	w.await(blocked.Turn, orchestrator.TurnRunning)
	other := w.send("one", "say hello", isNew)
	if h := w.follow(other.Turn, nil); h.state != orchestrator.TurnCompleted {
		t.Errorf("the other chat's turn ended as %s", h.state)
	}
	w.check(w.Stop(t.Context(), blocked.Turn, true))
	w.follow(blocked.Turn, nil)
}

func TestAStoppedTurnIsCancelledAndItsWorkPending(t *testing.T) {
	w := newWorld(t)
	sent := w.send("one", "write part.txt with x;;hang")
	var once sync.Once
	h := w.follow(sent.Turn, func(ev orchestrator.Event) {
		if ev.Kind == orchestrator.EventTool && ev.Tool.Status == "completed" {
			once.Do(func() { go func() { _ = w.Stop(t.Context(), sent.Turn, false) }() })
		}
	})
	if h.state != orchestrator.TurnCancelled {
		t.Errorf("ended as %s", h.state)
	}
	if got := w.changes(); !slices.Equal(got, []string{"part.txt by one"}) {
		t.Errorf("pending: %q", got)
	}
}

func TestAQueuedTurnIsStoppedBeforeItIsSent(t *testing.T) {
	w := newWorld(t)
	first := w.send("one", "hang")
	w.await(first.Turn, orchestrator.TurnRunning)
	second := w.send("one", "write never.txt with x")
	w.check(w.Stop(t.Context(), second.Turn, false))
	if h := w.follow(second.Turn, nil); h.state != orchestrator.TurnCancelled {
		t.Errorf("ended as %s: %s", h.state, h.reason)
	}
	w.check(w.Stop(t.Context(), first.Turn, true))
	w.follow(first.Turn, nil)
	if got := w.changes(); len(got) > 0 {
		t.Errorf("pending: %q", got)
	}
}

// await waits for a turn to reach a state.
func (w *world) await(turn orchestrator.TurnID, state orchestrator.TurnState) {
	w.t.Helper()
	reached := make(chan struct{})
	var once sync.Once
	go func() {
		_ = w.Follow(w.t.Context(), turn, 0, func(ev orchestrator.Event) error {
			if ev.Kind == orchestrator.EventTurn && ev.State == state {
				once.Do(func() { close(reached) })
			}
			return nil
		})
	}()
	<-reached
}
