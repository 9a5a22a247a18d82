package backendtest

import (
	"strings"
	"testing"

	"boo/orchestrator"
)

// Kin runs what two agents have to pass that keep their sessions in one store:
// each goes on with what the other began.
func Kin(t *testing.T, s Subject, other orchestrator.AgentName) {
	first := begin(t, s, t.TempDir(), "", 0)
	first.turn(t, "remember plum")
	first.leave(t)
	last := first
	for _, agent := range []orchestrator.AgentName{other, s.Agent} {
		s.Agent = agent
		v := begin(t, s, first.dir, first.Info().NativeID, last.turns)
		if info := v.Info(); info.Rung != orchestrator.RungResumed || info.NativeID != first.Info().NativeID {
			t.Errorf("%s: session %+v", agent, info)
		}
		if o := v.turn(t, "recall"); !strings.Contains(o.said(), "remember plum") {
			t.Errorf("%s said %q", agent, o.said())
		}
		v.leave(t)
		last = v
	}
}
