package store_test

import (
	"testing"

	"boo/orchestrator"
)

func (f fixture) request(id orchestrator.PermissionID) orchestrator.OpenPermission {
	return orchestrator.OpenPermission{
		Permission: orchestrator.Permission{
			ID: id, Kind: "execute", Tool: orchestrator.ToolCall{ID: "1", Status: "pending", Input: []byte(`{"command":"true"}`)},
			Options: []orchestrator.PermissionOption{{ID: "yes", Kind: "allow_once"}},
		},
		Chat: f.chat, Turn: f.turn.ID, Agent: "goose", Asked: moment,
	}
}

func (f fixture) open(t *testing.T) []orchestrator.OpenPermission {
	t.Helper()
	list, err := f.OpenPermissions(f.ctx, f.chat)
	must(t, err)
	all, err := f.OpenPermissions(f.ctx, "")
	must(t, err)
	equal(t, "open requests of all chats", all, list)
	return list
}

func TestARequestIsDecidedOnce(t *testing.T) {
	f := newFixture(t)
	first, second := f.request("q1"), f.request("q2")
	must(t, f.AskPermission(f.ctx, first))
	must(t, f.AskPermission(f.ctx, second))
	equal(t, "open", f.open(t), []orchestrator.OpenPermission{first, second})

	first.Outcome, first.By = "yes", orchestrator.ByPerson
	must(t, f.DecidePermission(f.ctx, first, nil))
	wantCode(t, orchestrator.CodeNotFound, f.DecidePermission(f.ctx, first, &orchestrator.StandingRule{Kind: "execute", Allow: true}))
	equal(t, "open", f.open(t), []orchestrator.OpenPermission{second})
	rules, err := f.StandingRules(f.ctx, f.chat, "goose")
	must(t, err)
	if len(rules) > 0 {
		t.Errorf("a decision that came late has left %v", rules)
	}
	if last := f.events(t)[3]; last.Kind != orchestrator.EventPermission || last.Permission.Outcome != "yes" || last.Turn != f.turn.ID || last.Agent != "goose" {
		t.Errorf("the event of the answer is %+v", last)
	}
}

func TestADecisionWithoutAQuestionLeavesNothingOpen(t *testing.T) {
	f := newFixture(t)
	p := f.request("q1")
	p.Outcome, p.By = "no", orchestrator.ByPolicy
	must(t, f.AskPermission(f.ctx, p))
	if open, events := f.open(t), f.events(t); len(open) > 0 || len(events) != 2 {
		t.Errorf("open %v, events %v", open, events)
	}
}

func TestTheEndOfATurnClosesItsRequests(t *testing.T) {
	f := newFixture(t)
	f.run(t, f.turn.ID)
	must(t, f.AskPermission(f.ctx, f.request("q1")))
	_, err := f.EndTurn(f.ctx, orchestrator.TurnEnd{Turn: f.turn.ID, State: orchestrator.TurnInterrupted, Hint: "boo chat send", Calls: 3})
	must(t, err)
	if open := f.open(t); len(open) > 0 {
		t.Errorf("still open: %v", open)
	}
	events := f.events(t)
	closed := events[len(events)-3]
	if closed.Permission == nil || closed.Permission.Outcome != orchestrator.PermissionCancelled || closed.Permission.By != orchestrator.ByTurnEnd {
		t.Errorf("the request ended as %+v", closed.Permission)
	}
	turn, err := f.Turn(f.ctx, f.turn.ID)
	must(t, err)
	if turn.Hint != "boo chat send" || turn.Calls != 3 || events[len(events)-1].Hint != turn.Hint {
		t.Errorf("turn %+v, event %+v", turn, events[len(events)-1])
	}
}

func TestStandingRulesAreOfOneChatAndAgent(t *testing.T) {
	f := newFixture(t)
	for i, allow := range []bool{true, false} {
		p := f.request(orchestrator.NewPermissionID())
		must(t, f.AskPermission(f.ctx, p))
		must(t, f.DecidePermission(f.ctx, p, &orchestrator.StandingRule{Kind: "execute", Allow: allow}))
		rules, err := f.StandingRules(f.ctx, f.chat, "goose")
		must(t, err)
		equal(t, "rules", rules, []orchestrator.StandingRule{{Kind: "execute", Allow: allow}})
		if i == 0 {
			other, err := f.StandingRules(f.ctx, f.chat, "qwen")
			must(t, err)
			equal(t, "rules of another agent", other, []orchestrator.StandingRule{})
		}
	}
}
