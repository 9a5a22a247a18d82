package store_test

import (
	"testing"

	"boo/orchestrator"
)

// provisional ends the fixture's turn with what was only seen.
func (f fixture) provisional(t testing.TB, seen ...orchestrator.Change) {
	t.Helper()
	f.run(t, f.turn.ID)
	_, err := f.EndTurn(f.ctx, orchestrator.TurnEnd{
		Turn: f.turn.ID, State: orchestrator.TurnCompleted, Provisional: true, Delta: f.delta(seen...),
	})
	must(t, err)
}

func (f fixture) wantProvisional(t testing.TB, want ...orchestrator.TurnID) {
	t.Helper()
	for _, q := range []struct {
		repo orchestrator.RepoID
		chat orchestrator.ChatID
	}{{"", ""}, {f.repo.ID, ""}, {"", f.chat}, {f.repo.ID, f.chat}} {
		turns, err := f.ProvisionalTurns(f.ctx, q.repo, q.chat)
		must(t, err)
		if len(turns) != len(want) || len(want) == 1 && turns[0].ID != want[0] {
			t.Errorf("provisional of repository %q and chat %q: %+v, want %q", q.repo, q.chat, turns, want)
		}
	}
	for _, q := range [][2]string{{"r-elsewhere", ""}, {"", "c-elsewhere"}} {
		turns, err := f.ProvisionalTurns(f.ctx, orchestrator.RepoID(q[0]), orchestrator.ChatID(q[1]))
		if err != nil || len(turns) > 0 {
			t.Errorf("provisional of %q: %+v, %v", q, turns, err)
		}
	}
}

func TestAProvisionalTurnIsConfirmedOnce(t *testing.T) {
	f := newFixture(t)
	f.wantProvisional(t)
	f.provisional(t, f.change("a.go"))
	f.wantProvisional(t, f.turn.ID)
	before := len(f.events(t))
	events, err := f.ConfirmTurn(f.ctx, orchestrator.TurnConfirmation{Turn: f.turn.ID, After: "after"})
	must(t, err)
	if len(events) > 0 || len(f.events(t)) != before {
		t.Errorf("something was said of what was right: %+v", events)
	}
	f.wantProvisional(t)
	turn, err := f.Turn(f.ctx, f.turn.ID)
	must(t, err)
	if turn.Provisional || turn.Corrected || turn.After != "after" || len(f.changes(t, orchestrator.ChangePending)) != 1 {
		t.Errorf("turn %+v", turn)
	}
	_, err = f.ConfirmTurn(f.ctx, orchestrator.TurnConfirmation{Turn: f.turn.ID, After: "again"})
	wantCode(t, orchestrator.CodeBusy, err)
	_, err = f.ConfirmTurn(f.ctx, orchestrator.TurnConfirmation{Turn: "t-nowhere"})
	wantCode(t, orchestrator.CodeNotFound, err)
}

func TestACorrectionIsOneTransaction(t *testing.T) {
	f := newFixture(t)
	seen, real := f.change("seen.go"), f.change("real.go")
	f.provisional(t, seen)
	c := orchestrator.TurnConfirmation{Turn: f.turn.ID, After: "after", Delta: f.delta(real), Notice: "it was otherwise"}
	c.Delta.Retire = map[orchestrator.ChangeID]orchestrator.ChangeID{seen.ID: ""}

	stale := c
	stale.Delta.Baseline = "elsewhere"
	_, err := f.ConfirmTurn(f.ctx, stale)
	wantCode(t, orchestrator.CodeConflict, err)
	f.wantProvisional(t, f.turn.ID)

	events, err := f.ConfirmTurn(f.ctx, c)
	must(t, err)
	all := f.events(t)
	if len(events) != 1 || events[0].Kind != orchestrator.EventNotice || events[0].Text != c.Notice || events[0].Seq != all[len(all)-1].Seq {
		t.Errorf("events %+v", events)
	}
	if rows := f.changes(t, orchestrator.ChangePending); len(rows) != 1 || rows[0].Path != real.Path {
		t.Errorf("pending %+v", rows)
	}
	if turn, err := f.Turn(f.ctx, f.turn.ID); err != nil || turn.Provisional || !turn.Corrected {
		t.Errorf("turn %+v, %v", turn, err)
	}
}
