package store_test

import (
	"testing"

	"boo/orchestrator"
)

func TestLastTurn(t *testing.T) {
	f := newFixture(t)
	must(t, f.Exec(f.ctx, `UPDATE turns SET state = 'failed' WHERE chat_id = ?`, f.chat))
	fill(t, f, 2, 4)
	must(t, f.Exec(f.ctx, `UPDATE turns SET agent = 'qwen' WHERE chat_id = 'c-1' AND number = 2`))
	must(t, f.Exec(f.ctx, `UPDATE turns SET state = 'failed', before_commit = '' WHERE chat_id = 'c-1' AND number = 4`))
	for name, c := range map[string]struct {
		query orchestrator.TurnQuery
		want  int64 // 0: none
	}{
		"of all":                 {orchestrator.TurnQuery{}, 4},
		"that began":             {orchestrator.TurnQuery{Begun: true}, 3},
		"that completed":         {orchestrator.TurnQuery{State: orchestrator.TurnCompleted}, 3},
		"before one":             {orchestrator.TurnQuery{Before: 3}, 2},
		"of an agent":            {orchestrator.TurnQuery{Agents: []orchestrator.AgentName{"qwen"}}, 2},
		"of two agents":          {orchestrator.TurnQuery{Agents: []orchestrator.AgentName{"qwen", "goose"}}, 4},
		"of an agent, after one": {orchestrator.TurnQuery{Agents: []orchestrator.AgentName{"qwen"}, After: 2}, 0},
		"of nobody":              {orchestrator.TurnQuery{Agents: []orchestrator.AgentName{"nobody"}}, 0},
	} {
		c.query.Chat = "c-1"
		turn, err := f.LastTurn(f.ctx, c.query)
		if turn.Number != c.want || (orchestrator.CodeOf(err) == orchestrator.CodeNotFound) != (c.want == 0) {
			t.Errorf("%s: %d, %v, want %d", name, turn.Number, err, c.want)
		}
	}
	between, err := f.TurnsBetween(f.ctx, "c-1", 1, 4)
	must(t, err)
	if len(between) != 2 || between[0].Number != 2 || between[1].Number != 3 || between[0].Chat != "c-1" {
		t.Errorf("between 1 and 4: %+v", between)
	}
}

func TestASessionHasCostWhatItsTurnsHaveSinceItBegan(t *testing.T) {
	f := newFixture(t)
	must(t, f.Exec(f.ctx, `UPDATE turns SET state = 'failed' WHERE chat_id = ?`, f.chat))
	fill(t, f, 2, 5)
	must(t, f.Exec(f.ctx, `UPDATE turns SET agent = 'goose', cost = 1 << number, rung = 'warm' WHERE chat_id = 'c-1'`))
	must(t, f.Exec(f.ctx, `UPDATE turns SET agent = 'qwen', rung = 'new' WHERE chat_id = 'c-1' AND number = 3`))
	of := func(q orchestrator.TurnQuery) float64 {
		t.Helper()
		q.Chat, q.Agents = "c-1", []orchestrator.AgentName{"goose", "opencode"}
		cost, err := f.SessionCost(f.ctx, q)
		must(t, err)
		return cost
	}
	equal(t, "of turns 1, 2, 4 and 5", of(orchestrator.TurnQuery{}), 54.0)
	equal(t, "before the last one", of(orchestrator.TurnQuery{Before: 5}), 22.0)
	equal(t, "since a reset", of(orchestrator.TurnQuery{After: 2}), 48.0)
	equal(t, "of no turn", of(orchestrator.TurnQuery{After: 9}), 0.0)
	must(t, f.Exec(f.ctx, `UPDATE turns SET rung = 'history' WHERE chat_id = 'c-1' AND number = 2`))
	equal(t, "since the session began", of(orchestrator.TurnQuery{}), 52.0)
}

func TestOnlyChatsWithAnOpenTurnKeepLiveSessions(t *testing.T) {
	f := newFixture(t)
	session := orchestrator.Session{Chat: f.chat, Agent: "goose", State: orchestrator.SessionIdle}
	must(t, f.PutSession(f.ctx, session))
	state := func(want orchestrator.SessionState) {
		t.Helper()
		must(t, f.EvictSessions(f.ctx))
		if s, err := f.Session(f.ctx, f.chat, "goose"); err != nil || s.State != want {
			t.Errorf("the session is %s, %v, want %s", s.State, err, want)
		}
	}
	state(orchestrator.SessionIdle)
	must(t, f.Exec(f.ctx, `UPDATE turns SET state = 'failed'`))
	state(orchestrator.SessionEvicted)
}
