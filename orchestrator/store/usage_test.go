package store_test

import (
	"testing"

	"boo/orchestrator"
)

func TestUsageIsAddedUpOncePerTurnAndCurrency(t *testing.T) {
	f := newFixture(t)
	costs := []orchestrator.Usage{
		{Input: 10, Output: 1, CacheRead: 5, Cost: 0.5, Currency: "USD", ContextUsed: 7, ContextSize: 9},
		{Input: 20, Output: 2, Cost: 0.25, Currency: "USD"},
		{Input: 40, Output: 4, CacheWrite: 3, Cost: 2, Currency: "EUR"},
		{},
	}
	turn := f.turn
	for i, usage := range costs {
		if i > 0 {
			turn = f.enqueue(t, "goose")
		}
		f.run(t, turn.ID)
		_, err := f.EndTurn(f.ctx, orchestrator.TurnEnd{Turn: turn.ID, State: orchestrator.TurnCompleted, Usage: usage})
		must(t, err)
	}
	f.enqueue(t, "qwen") // has cost nothing yet
	total := map[orchestrator.UsageBy]int{}
	for _, by := range []orchestrator.UsageBy{orchestrator.UsageByAgent, orchestrator.UsageByChat, orchestrator.UsageByRepo, orchestrator.UsageByDay} {
		lines, err := f.Usage(f.ctx, by)
		must(t, err)
		var all orchestrator.UsageLine
		for _, l := range lines {
			all.Add(l)
		}
		total[by] = all.Turns
		if all.Input != 70 || all.Output != 7 || all.CacheRead != 5 || all.CacheWrite != 3 || all.Costs["USD"] != 0.75 || all.Costs["EUR"] != 2 || len(all.Costs) != 2 {
			t.Errorf("by %s: %+v", by, all)
		}
	}
	equal(t, "turns", total, map[orchestrator.UsageBy]int{"agent": 5, "chat": 5, "repo": 5, "day": 5})
	lines, err := f.Usage(f.ctx, orchestrator.UsageByChat)
	must(t, err)
	if lines[0].Key != string(f.chat) || lines[0].Title != "a title" {
		t.Errorf("by chat: %+v", lines[0])
	}
}
