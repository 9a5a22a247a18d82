package store_test

import (
	"testing"

	"boo/orchestrator"
)

func (f fixture) end(t testing.TB, turn orchestrator.TurnID) {
	t.Helper()
	f.run(t, turn)
	_, err := f.EndTurn(f.ctx, orchestrator.TurnEnd{Turn: turn, State: orchestrator.TurnCompleted})
	must(t, err)
}

func (f fixture) move(from, to orchestrator.ChatState) error {
	return f.MoveChat(f.ctx, orchestrator.ChatMove{Chat: f.chat, From: []orchestrator.ChatState{from}, To: to, Notice: "now " + string(to)})
}

func TestAChatIsClosedOnlyBetweenTurns(t *testing.T) {
	f := newFixture(t)
	wantCode(t, orchestrator.CodeBusy, f.move(orchestrator.ChatOpen, orchestrator.ChatClosing)) // its turn waits
	f.end(t, f.turn.ID)
	wantCode(t, orchestrator.CodeBusy, f.move(orchestrator.ChatClosing, orchestrator.ChatClosed))
	must(t, f.move(orchestrator.ChatOpen, orchestrator.ChatClosing))
	closing, err := f.ClosingChats(f.ctx)
	must(t, err)
	equal(t, "being closed", closing, []orchestrator.ChatID{f.chat})
	_, err = f.Enqueue(f.ctx, newTurn(f.chat, "goose"), nil)
	wantCode(t, orchestrator.CodeBusy, err)

	must(t, f.PutSession(f.ctx, orchestrator.Session{Chat: f.chat, Agent: "goose", NativeID: "n1", State: orchestrator.SessionIdle}))
	must(t, f.move(orchestrator.ChatClosing, orchestrator.ChatClosed))
	chat, err := f.Chat(f.ctx, f.chat)
	must(t, err)
	session, err := f.Session(f.ctx, f.chat, "goose")
	must(t, err)
	if chat.State != orchestrator.ChatClosed || chat.ClosedAt.IsZero() || session.State != orchestrator.SessionClosed || session.NativeID != "n1" {
		t.Errorf("closed: %+v, %+v", chat, session)
	}
	events := f.events(t)
	if last := events[len(events)-1]; last.Text != "now closed" {
		t.Errorf("the log ends with %+v", last)
	}
}

func TestAPromptOpensAChatThatWasClosedOrRemoved(t *testing.T) {
	f := newFixture(t)
	f.end(t, f.turn.ID)
	must(t, f.PutSession(f.ctx, orchestrator.Session{Chat: f.chat, Agent: "goose", NativeID: "n1", State: orchestrator.SessionIdle}))
	must(t, f.move(orchestrator.ChatOpen, orchestrator.ChatClosed))
	must(t, f.move(orchestrator.ChatClosed, orchestrator.ChatArchived))
	shown, err := f.Chats(f.ctx, orchestrator.ChatQuery{Shown: true})
	must(t, err)
	all, err := f.Chats(f.ctx, orchestrator.ChatQuery{})
	must(t, err)
	if len(shown) != 0 || len(all) != 1 || all[0].ClosedAt.IsZero() {
		t.Errorf("shown %+v, all %+v", shown, all)
	}
	turn, err := f.Enqueue(f.ctx, newTurn(f.chat, "goose"), nil)
	must(t, err)
	chat, err := f.Chat(f.ctx, f.chat)
	must(t, err)
	session, err := f.Session(f.ctx, f.chat, "goose")
	must(t, err)
	if chat.State != orchestrator.ChatOpen || !chat.ClosedAt.IsZero() || session.NativeID != "" || session.ResetTurn != 0 {
		t.Errorf("open again: %+v, %+v", chat, session)
	}
	events := f.events(t)
	if last := events[len(events)-1]; last.Text != "the chat was removed; it is open again" || last.Turn != turn.ID {
		t.Errorf("the log ends with %+v", last)
	}
	wantForgotten(t, f, orchestrator.ForgottenSession{Agent: "goose", NativeID: "n1", Chat: f.chat})
}

func wantForgotten(t *testing.T, f fixture, want ...orchestrator.ForgottenSession) {
	t.Helper()
	list, err := f.Forgotten(f.ctx, f.chat)
	must(t, err)
	for i := range list {
		list[i].Since = want[min(i, len(want)-1)].Since
	}
	equal(t, "to delete", list, append([]orchestrator.ForgottenSession{}, want...))
}

func TestWhatAnOldGenerationTellsIsNotStored(t *testing.T) {
	f := newFixture(t)
	f.end(t, f.turn.ID)
	old := orchestrator.Session{Chat: f.chat, Agent: "goose", NativeID: "n1", State: orchestrator.SessionIdle, SeenTurn: 1}
	must(t, f.PutSession(f.ctx, old))
	must(t, f.PutSession(f.ctx, orchestrator.Session{Chat: f.chat, Agent: "qwen", NativeID: "n2", State: orchestrator.SessionIdle}))
	_, err := f.AppendTold(f.ctx, old, texts(f.turn.ID, 1), nil)
	must(t, err)
	_, err = f.ResetSessions(f.ctx, orchestrator.SessionReset{Chat: f.chat, Agents: []orchestrator.AgentName{"goose"}})
	must(t, err)

	before := len(f.events(t))
	_, err = f.AppendTold(f.ctx, old, texts(f.turn.ID, 1), nil)
	wantCode(t, orchestrator.CodeConflict, err)
	wantCode(t, orchestrator.CodeConflict, f.PutSession(f.ctx, old))
	moved, err := f.MoveSession(f.ctx, old, []orchestrator.SessionState{orchestrator.SessionNone}, orchestrator.SessionCrashed, "late")
	if moved || err != nil {
		t.Errorf("moved %v, %v", moved, err)
	}
	if got := len(f.events(t)); got != before {
		t.Errorf("%d events, want %d", got, before)
	}
	now, err := f.Session(f.ctx, f.chat, "goose")
	must(t, err)
	equal(t, "the session", now, orchestrator.Session{Chat: f.chat, Agent: "goose", State: orchestrator.SessionNone, Generation: 1, ResetTurn: 1})
	other, err := f.Session(f.ctx, f.chat, "qwen")
	must(t, err)
	equal(t, "the other agent's", other.NativeID, "n2")
	must(t, f.PutSession(f.ctx, orchestrator.Session{Chat: f.chat, Agent: "goose", NativeID: "n3", State: orchestrator.SessionBusy, Generation: 1}))
	wantForgotten(t, f, orchestrator.ForgottenSession{Agent: "goose", NativeID: "n1", Chat: f.chat})
	must(t, f.DropForgotten(f.ctx, orchestrator.ForgottenSession{Agent: "goose", NativeID: "n1"}))
	if list, err := f.Forgotten(f.ctx, ""); err != nil || len(list) != 0 {
		t.Errorf("to delete: %v, %v", list, err)
	}
}

func TestAResetWaitsForTheTurnAndKeepsWhatWasSpent(t *testing.T) {
	f := newFixture(t)
	f.run(t, f.turn.ID)
	reset := orchestrator.SessionReset{Chat: f.chat, Agents: []orchestrator.AgentName{"goose"}, ClearLog: true, Notice: "anew"}
	_, err := f.ResetSessions(f.ctx, reset)
	wantCode(t, orchestrator.CodeBusy, err)
	_, err = f.EndTurn(f.ctx, orchestrator.TurnEnd{Turn: f.turn.ID, State: orchestrator.TurnCompleted, Usage: orchestrator.Usage{Input: 7}})
	must(t, err)
	after, err := f.ResetSessions(f.ctx, reset)
	must(t, err)
	events := f.events(t)
	last := events[len(events)-1]
	if after != last.Seq || last.Text != "anew" {
		t.Errorf("the log begins after %d, the last event is %+v", after, last)
	}
	chat, err := f.Chat(f.ctx, f.chat)
	must(t, err)
	session, err := f.Session(f.ctx, f.chat, "goose")
	must(t, err)
	if chat.LogAfter != after || session.Usage.Input != 7 || session.Generation != 1 {
		t.Errorf("%+v, %+v", chat, session)
	}
	next, err := f.AppendEvents(f.ctx, f.chat, texts(f.turn.ID, 1))
	must(t, err)
	equal(t, "the next number", next[0].Seq, after+1)
}
