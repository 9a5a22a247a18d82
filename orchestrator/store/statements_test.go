package store_test

import (
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/store"
)

// Lists of agents make a query of every length; only so many are kept prepared.
func TestQueriesOfManyShapesAreAnsweredAndNotAllKept(t *testing.T) {
	f := newFixture(t)
	for range 3 {
		for n := range store.MaxStatements + 10 {
			agents := make([]orchestrator.AgentName, n)
			for i := range agents {
				agents[i] = f.turn.Agent
			}
			last, err := f.LastTurn(f.ctx, orchestrator.TurnQuery{Chat: f.chat, Agents: agents})
			must(t, err)
			if last.ID != f.turn.ID {
				t.Fatalf("with %d agents: turn %q", n, last.ID)
			}
		}
	}
	if kept := f.Prepared(); kept > store.MaxStatements {
		t.Errorf("%d statements are kept prepared", kept)
	}
}

// What was prepared holds after another process has changed the tables.
func TestAPreparedStatementOutlivesAChangeOfTheSchema(t *testing.T) {
	f := newFixture(t)
	for i := range 4 {
		turns, err := f.OpenTurns(f.ctx)
		must(t, err)
		if len(turns) != 1 || turns[0].ID != f.turn.ID {
			t.Fatalf("after %d changes: %v", i, turns)
		}
		_, err = f.AppendEvents(f.ctx, f.chat, texts(f.turn.ID, 1))
		must(t, err)
		must(t, f.Exec(f.ctx, "CREATE INDEX turns_extra_"+string(rune('a'+i))+" ON turns (model)"))
		must(t, f.Exec(f.ctx, "CREATE INDEX events_extra_"+string(rune('a'+i))+" ON events (kind)"))
	}
}
