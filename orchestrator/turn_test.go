package orchestrator_test

import (
	"math/rand/v2"
	"testing"

	"boo/orchestrator"
)

var turnStates = []orchestrator.TurnState{
	orchestrator.TurnQueued, orchestrator.TurnAccepted, orchestrator.TurnRunning, orchestrator.TurnCancelling,
	orchestrator.TurnCompleted, orchestrator.TurnFailed, orchestrator.TurnCancelled, orchestrator.TurnInterrupted, orchestrator.TurnHalted,
}

func TestATerminalStateIsNeverLeft(t *testing.T) {
	for _, from := range turnStates {
		for _, to := range turnStates {
			if from.Terminal() && from.CanBecome(to) {
				t.Errorf("%s became %s", from, to)
			}
		}
	}
}

func TestEveryOpenTurnCanBeInterrupted(t *testing.T) {
	for _, s := range turnStates {
		if !s.Terminal() && !s.CanBecome(orchestrator.TurnInterrupted) {
			t.Errorf("a turn that is %s could not be settled after a crash", s)
		}
	}
}

func TestOnlyARunningTurnCompletes(t *testing.T) {
	if from := orchestrator.TurnCompleted.From(); len(from) != 1 || from[0] != orchestrator.TurnRunning {
		t.Errorf("completed may follow %v", from)
	}
}

// Whatever order its events come in, a turn ends, in few steps, and once.
func TestRandomWalksEndInOneTerminalState(t *testing.T) {
	for range 1000 {
		state, steps := orchestrator.TurnQueued, 0
		for !state.Terminal() {
			next := turnStates[rand.IntN(len(turnStates))]
			if state.CanBecome(next) {
				state = next
				steps++
			}
		}
		if steps > 4 {
			t.Fatalf("%d steps to %s", steps, state)
		}
	}
}
