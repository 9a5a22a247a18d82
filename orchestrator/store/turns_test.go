package store_test

import (
	"testing"

	"boo/orchestrator"
)

func TestATurnGoesThroughItsStates(t *testing.T) {
	f := newFixture(t)
	events, err := f.MoveTurn(f.ctx, f.turn.ID, orchestrator.TurnAccepted, "")
	must(t, err)
	if len(events) != 1 || events[0].Seq != 2 || events[0].Kind != orchestrator.EventTurn || events[0].State != orchestrator.TurnAccepted {
		t.Fatalf("events %+v", events)
	}
	_, err = f.MoveTurn(f.ctx, f.turn.ID, orchestrator.TurnAccepted, "")
	wantCode(t, orchestrator.CodeBusy, err)
	_, err = f.MoveTurn(f.ctx, f.turn.ID, orchestrator.TurnRunning, "")
	must(t, err)
	_, err = f.MoveTurn(f.ctx, f.turn.ID, orchestrator.TurnCancelling, "you said so")
	must(t, err)
	turn, err := f.Turn(f.ctx, f.turn.ID)
	must(t, err)
	if turn.State != orchestrator.TurnCancelling || turn.Reason != "you said so" || turn.Started.IsZero() || !turn.Ended.IsZero() {
		t.Fatalf("turn %+v", turn)
	}
	_, err = f.MoveTurn(f.ctx, f.turn.ID, orchestrator.TurnCompleted, "")
	wantCode(t, orchestrator.CodeInvalid, err)
	_, err = f.MoveTurn(f.ctx, "t-nowhere", orchestrator.TurnAccepted, "")
	wantCode(t, orchestrator.CodeNotFound, err)
	if got := len(f.events(t)); got != 4 {
		t.Fatalf("%d events, want the prompt and three moves", got)
	}
}

func TestAChatHasOneLiveTurn(t *testing.T) {
	f := newFixture(t)
	second := f.enqueue(t, "qwen")
	f.run(t, f.turn.ID)
	_, err := f.MoveTurn(f.ctx, second.ID, orchestrator.TurnAccepted, "")
	wantCode(t, orchestrator.CodeBusy, err)
	other := mustChat(t, f.Store, f.repo, "goose")
	_, err = f.MoveTurn(f.ctx, other.ID, orchestrator.TurnAccepted, "")
	must(t, err)
	_, err = f.EndTurn(f.ctx, orchestrator.TurnEnd{Turn: f.turn.ID, State: orchestrator.TurnInterrupted})
	must(t, err)
	_, err = f.MoveTurn(f.ctx, second.ID, orchestrator.TurnAccepted, "")
	must(t, err)
}

func TestOpenTurnsAreThoseThatAreNotOver(t *testing.T) {
	f := newFixture(t)
	second := f.enqueue(t, "goose")
	third := f.enqueue(t, "goose")
	f.run(t, f.turn.ID)
	_, err := f.EndTurn(f.ctx, orchestrator.TurnEnd{Turn: second.ID, State: orchestrator.TurnCancelled})
	must(t, err)
	open, err := f.OpenTurns(f.ctx)
	must(t, err)
	if len(open) != 2 || open[0].ID != f.turn.ID || open[1].ID != third.ID {
		t.Fatalf("open %+v", open)
	}
	all, err := f.Turns(f.ctx, f.chat)
	must(t, err)
	if len(all) != 3 || all[0].Number != 1 || all[1].Number != 2 || all[2].Number != 3 {
		t.Fatalf("turns %+v", all)
	}
}

func TestTheEndOfATurnIsOneTransaction(t *testing.T) {
	f := newFixture(t)
	f.run(t, f.turn.ID)
	end := orchestrator.TurnEnd{
		Turn: f.turn.ID, State: orchestrator.TurnHalted, Reason: "budget", Stop: "max_tokens", After: "after", Rung: orchestrator.RungResumed,
		Usage: orchestrator.Usage{Input: 3}, Delta: f.delta(f.change("a.go")),
		Summary: orchestrator.TurnSummary{State: orchestrator.TurnHalted, Pending: 1},
	}
	stale := end
	stale.Delta.Baseline = "elsewhere"
	_, err := f.EndTurn(f.ctx, stale)
	wantCode(t, orchestrator.CodeConflict, err)
	if turn, err := f.Turn(f.ctx, f.turn.ID); err != nil || turn.State != orchestrator.TurnRunning || len(f.changes(t)) != 0 {
		t.Fatalf("a part was stored: %+v, %v", turn, err)
	}

	events, err := f.EndTurn(f.ctx, end)
	must(t, err)
	if len(events) != 2 || events[0].Summary == nil || events[0].Summary.Pending != 1 ||
		events[1].State != orchestrator.TurnHalted || events[1].Text != "budget" || events[1].Seq != events[0].Seq+1 {
		t.Fatalf("events %+v", events)
	}
	turn, err := f.Turn(f.ctx, f.turn.ID)
	must(t, err)
	if turn.State != end.State || turn.Reason != "budget" || turn.Stop != "max_tokens" || turn.After != "after" ||
		turn.Rung != orchestrator.RungResumed || turn.Usage.Input != 3 || turn.Ended.IsZero() {
		t.Fatalf("turn %+v", turn)
	}
	if got := f.changes(t, orchestrator.ChangePending); len(got) != 1 {
		t.Fatalf("changes %+v", got)
	}
	end.State, end.Delta = orchestrator.TurnCompleted, orchestrator.ChangeDelta{}
	_, err = f.EndTurn(f.ctx, end)
	wantCode(t, orchestrator.CodeBusy, err)
	end.State = orchestrator.TurnRunning
	_, err = f.EndTurn(f.ctx, end)
	wantCode(t, orchestrator.CodeInvalid, err)
}

func TestTheSnapshotBeforeComesWithThePersonsShare(t *testing.T) {
	f := newFixture(t)
	f.run(t, f.turn.ID)
	delta := f.delta(f.change("mine.go"))
	must(t, f.SetBefore(f.ctx, f.turn.ID, "before", delta))
	turn, err := f.Turn(f.ctx, f.turn.ID)
	must(t, err)
	if turn.Before != "before" || len(f.changes(t)) != 1 {
		t.Fatalf("turn %+v", turn)
	}
	_, err = f.EndTurn(f.ctx, orchestrator.TurnEnd{Turn: f.turn.ID, State: orchestrator.TurnCompleted})
	must(t, err)
	wantCode(t, orchestrator.CodeBusy, f.SetBefore(f.ctx, f.turn.ID, "again", orchestrator.ChangeDelta{}))
	wantCode(t, orchestrator.CodeNotFound, f.SetBefore(f.ctx, "t-nowhere", "x", delta))
}
