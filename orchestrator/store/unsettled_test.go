package store_test

import (
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/store"
)

func TestWhatIsNotSettledIsOnRecord(t *testing.T) {
	f := newFixture(t)
	is := func(want orchestrator.Unsettled) {
		t.Helper()
		got, err := f.Unsettled(f.ctx)
		must(t, err)
		equal(t, "not settled", got, want)
	}
	is(orchestrator.Unsettled{Turns: true})
	f.end(t, f.turn.ID)
	is(orchestrator.Unsettled{})

	a := f.change("a")
	must(t, f.StoreDelta(f.ctx, f.delta(a)))
	must(t, f.PutApply(f.ctx, f.apply(a)))
	is(orchestrator.Unsettled{Applies: true})
	p := orchestrator.Process{BootID: "b", PID: 7, StartTime: 100, Chat: f.chat, Turn: f.turn.ID, Agent: "goose", Tag: "x"}
	must(t, f.PutProcess(f.ctx, p))
	is(orchestrator.Unsettled{Applies: true, Processes: true})
	must(t, f.DeleteProcess(f.ctx, p))
	must(t, f.move(orchestrator.ChatOpen, orchestrator.ChatClosing))
	is(orchestrator.Unsettled{Applies: true, Closings: true})
}

// It is asked by every command, however much there is on record.
func TestWhatIsNotSettledIsFoundByIndexes(t *testing.T) {
	plan, err := openStore(t).Plan(t.Context(), store.UnsettledQuery)
	must(t, err)
	for _, step := range plan {
		for _, table := range []string{"applies", "turns", "chats"} {
			if strings.HasPrefix(step, "SCAN "+table) && !strings.Contains(step, "INDEX "+table+"_") {
				t.Errorf("%q", step)
			}
		}
	}
	if len(plan) == 0 {
		t.Error("no plan")
	}
}
