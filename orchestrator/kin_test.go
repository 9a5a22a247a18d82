package orchestrator_test

import (
	"strings"
	"testing"

	"boo/orchestrator"
)

// kin are two agents that keep their sessions in one store.
var kin = []orchestrator.AgentName{"opencode", "opencode-acp"}

func TestAnAgentGoesOnWithTheSessionOfItsKin(t *testing.T) {
	w := newWorld(t)
	first := w.follow(w.send(kin[0], "remember plum").Turn, nil)
	second := w.follow(w.send(kin[1], "recall").Turn, nil)
	third := w.follow(w.send(kin[0], "recall").Turn, nil)
	if first.state != orchestrator.TurnCompleted || !strings.Contains(second.text(), "plum") || !strings.Contains(third.text(), "plum") {
		t.Errorf("%s; then %q, then %q", first.state, second.text(), third.text())
	}
	ids := map[string]bool{}
	for i, h := range []heard{first, second, third} {
		for _, ev := range h.events {
			if ev.Kind != orchestrator.EventSession {
				continue
			}
			ids[ev.Session.NativeID] = true
			if want := orchestrator.RungResumed; i > 0 && ev.Session.Rung != want {
				t.Errorf("turn %d: the session is %s, want %s", i+1, ev.Session.Rung, want)
			}
		}
	}
	if len(ids) != 1 {
		t.Errorf("%d sessions: %v", len(ids), ids)
	}
}
