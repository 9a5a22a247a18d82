package store_test

import (
	"testing"

	"boo/orchestrator"
)

func TestLeftOutIsWhatTheNewestTurnSays(t *testing.T) {
	f := newFixture(t)
	say := func(skipped ...orchestrator.SkippedPath) {
		t.Helper()
		_, err := f.AppendEvents(f.ctx, f.chat, []orchestrator.Event{
			{Turn: f.turn.ID, Kind: orchestrator.EventSummary, Summary: &orchestrator.TurnSummary{Skipped: skipped}},
			{Turn: f.turn.ID, Kind: orchestrator.EventTurn},
		})
		must(t, err)
	}
	left := func() map[orchestrator.ChatID][]orchestrator.SkippedPath {
		t.Helper()
		got, err := f.LeftOut(f.ctx, []orchestrator.ChatID{f.chat, "c000000000"})
		must(t, err)
		return got
	}
	equal(t, "before any turn", left(), map[orchestrator.ChatID][]orchestrator.SkippedPath{})
	big := orchestrator.SkippedPath{Path: "big\xff", Reason: "too large"}
	say(big)
	equal(t, "after one", left(), map[orchestrator.ChatID][]orchestrator.SkippedPath{f.chat: {big}})
	say()
	equal(t, "after the next", left(), map[orchestrator.ChatID][]orchestrator.SkippedPath{})
}
