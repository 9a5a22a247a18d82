package store_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"boo/orchestrator"
)

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func TestARepositoryIsKnownByItsCommonDirectory(t *testing.T) {
	s := openStore(t)
	odd := orchestrator.GitDir("/src/\xff\xfe/.git") // not UTF-8
	first, err := s.PutRepo(t.Context(), orchestrator.Repo{ID: "r1", CommonDir: odd, Root: "/src/\xff\xfe", CreatedAt: moment})
	must(t, err)
	equal(t, "stored", first, orchestrator.Repo{ID: "r1", CommonDir: odd, Root: "/src/\xff\xfe", CreatedAt: moment})
	again, err := s.PutRepo(t.Context(), orchestrator.Repo{ID: "r2", CommonDir: odd, Root: "/elsewhere"})
	must(t, err)
	equal(t, "second", again, first)
	byID, err := s.Repo(t.Context(), "r1")
	must(t, err)
	equal(t, "by id", byID, first)
	_, err = s.Repo(t.Context(), "r2")
	wantCode(t, orchestrator.CodeNotFound, err)
	_, err = s.RepoByDir(t.Context(), "/nowhere")
	wantCode(t, orchestrator.CodeNotFound, err)
}

func TestAPromptComesBackAsItWasSent(t *testing.T) {
	f := newFixture(t)
	turn := newTurn(f.chat, "qwen")
	turn.Prompt = "über\r\n\x1b[31m 'quotes' -- and :names ?1\n"
	stored, err := f.Enqueue(f.ctx, turn, nil)
	must(t, err)
	want := turn
	want.Number, want.State = 2, orchestrator.TurnQueued
	equal(t, "enqueued", stored, want)
	read, err := f.Turn(f.ctx, turn.ID)
	must(t, err)
	equal(t, "read", read, want)
	events := f.events(t)
	last := events[len(events)-1]
	if last.Kind != orchestrator.EventPrompt || last.Text != turn.Prompt || last.Agent != "qwen" || last.Turn != turn.ID {
		t.Fatalf("prompt event %+v", last)
	}
}

func TestAChatAndItsWorktreeComeWithTheFirstPrompt(t *testing.T) {
	f := newFixture(t)
	chat, err := f.Chat(f.ctx, f.chat)
	must(t, err)
	if chat.Repo != f.repo.ID || chat.Title != "a title" || chat.State != orchestrator.ChatOpen || !chat.CreatedAt.Equal(moment) {
		t.Fatalf("chat %+v", chat)
	}
	wt, err := f.Worktree(f.ctx, f.chat)
	must(t, err)
	equal(t, "worktree", wt, orchestrator.Worktree{
		Chat: f.chat, Repo: f.repo.ID, CommonDir: f.repo.CommonDir, Dir: orchestrator.WorktreeDir("/trees/" + f.chat),
		Base: base, Baseline: base, State: orchestrator.WorktreeCreating, CreatedAt: moment, Port: 20_000,
	})
}

func TestNothingIsMadeOfAPromptThatCannotBeStored(t *testing.T) {
	f := newFixture(t)
	chat := newChat(f.repo)
	chat.Worktree.Dir = orchestrator.WorktreeDir("/trees/" + f.chat) // taken
	_, err := f.Enqueue(f.ctx, newTurn(chat.Chat.ID, "goose"), chat)
	wantCode(t, orchestrator.CodeConflict, err)
	_, err = f.Chat(f.ctx, chat.Chat.ID)
	wantCode(t, orchestrator.CodeNotFound, err)
	_, err = f.Enqueue(f.ctx, newTurn("c-nowhere", "goose"), nil)
	wantCode(t, orchestrator.CodeNotFound, err)
	_, err = f.Enqueue(f.ctx, f.turn, nil)
	wantCode(t, orchestrator.CodeConflict, err)
}

func TestAnArchivedWorktreeGivesItsDirectoryFree(t *testing.T) {
	f := newFixture(t)
	must(t, f.MoveWorktree(f.ctx, f.chat, []orchestrator.WorktreeState{orchestrator.WorktreeCreating}, orchestrator.WorktreeArchived, "merged"))
	chat := newChat(f.repo)
	chat.Worktree.Dir = orchestrator.WorktreeDir("/trees/" + f.chat)
	_, err := f.Enqueue(f.ctx, newTurn(chat.Chat.ID, "goose"), chat)
	must(t, err)
	err = f.MoveWorktree(f.ctx, f.chat, []orchestrator.WorktreeState{orchestrator.WorktreeArchived}, orchestrator.WorktreeActive, "")
	wantCode(t, orchestrator.CodeConflict, err)
	err = f.MoveWorktree(f.ctx, f.chat, []orchestrator.WorktreeState{orchestrator.WorktreeActive}, orchestrator.WorktreeLost, "")
	wantCode(t, orchestrator.CodeBusy, err)
	err = f.MoveWorktree(f.ctx, "c-nowhere", nil, orchestrator.WorktreeLost, "")
	wantCode(t, orchestrator.CodeNotFound, err)
	wt, err := f.Worktree(f.ctx, f.chat)
	must(t, err)
	if wt.State != orchestrator.WorktreeArchived || wt.Reason != "merged" {
		t.Fatalf("worktree %+v", wt)
	}
}

func TestASessionKeepsItsLifetimeUsage(t *testing.T) {
	f := newFixture(t)
	none, err := f.Session(f.ctx, f.chat, "goose")
	must(t, err)
	equal(t, "no session", none, orchestrator.Session{Chat: f.chat, Agent: "goose", State: orchestrator.SessionNone})
	want := orchestrator.Session{
		Chat: f.chat, Agent: "goose", Backend: "acp", NativeID: "n-1", State: orchestrator.SessionBusy, Rung: orchestrator.RungNew,
		Version: "1.2", Caps: []byte(`{"load":true}`), SeenTurn: 1, LastErr: "boom \xff", UsedAt: moment,
	}
	stored := want
	stored.Usage.Input = 99 // not stored this way
	must(t, f.PutSession(f.ctx, stored))
	got, err := f.Session(f.ctx, f.chat, "goose")
	must(t, err)
	equal(t, "session", got, want)

	f.run(t, f.turn.ID)
	usage := orchestrator.Usage{Input: 10, Output: 2, CacheRead: 3, CacheWrite: 4, Cost: 0.5, Currency: "USD", ContextUsed: 7, ContextSize: 70}
	_, err = f.EndTurn(f.ctx, orchestrator.TurnEnd{Turn: f.turn.ID, State: orchestrator.TurnCompleted, Usage: usage})
	must(t, err)
	second := f.enqueue(t, "goose")
	f.run(t, second.ID)
	_, err = f.EndTurn(f.ctx, orchestrator.TurnEnd{Turn: second.ID, State: orchestrator.TurnCompleted, Usage: orchestrator.Usage{Input: 1, Cost: 0.25}})
	must(t, err)

	want.State, want.Usage = orchestrator.SessionIdle, usage.Plus(orchestrator.Usage{Input: 1, Cost: 0.25})
	idle := want
	idle.Usage = orchestrator.Usage{}
	must(t, f.PutSession(f.ctx, idle))
	all, err := f.Sessions(f.ctx, f.chat)
	must(t, err)
	equal(t, "sessions", all, []orchestrator.Session{want})
	wantCode(t, orchestrator.CodeNotFound, f.PutSession(f.ctx, orchestrator.Session{Chat: "c-nowhere", Agent: "goose", State: orchestrator.SessionNone}))
}

func TestUsageOfAnAgentThatHadNoSessionIsCountedToo(t *testing.T) {
	f := newFixture(t)
	f.run(t, f.turn.ID)
	_, err := f.EndTurn(f.ctx, orchestrator.TurnEnd{Turn: f.turn.ID, State: orchestrator.TurnFailed, Usage: orchestrator.Usage{Input: 5}})
	must(t, err)
	got, err := f.Session(f.ctx, f.chat, "goose")
	must(t, err)
	equal(t, "usage", got.Usage, orchestrator.Usage{Input: 5})
}

func TestProcessesAreKnownByBootPidAndStart(t *testing.T) {
	f := newFixture(t)
	a := orchestrator.Process{BootID: "b", PID: 7, StartTime: 100, Chat: f.chat, Turn: f.turn.ID, Agent: "goose", Tag: "x"}
	b := a
	b.StartTime = 200 // the pid was used again
	must(t, f.PutProcess(f.ctx, a))
	must(t, f.PutProcess(f.ctx, b))
	must(t, f.PutProcess(f.ctx, b))
	list, err := f.Processes(f.ctx)
	must(t, err)
	equal(t, "processes", list, []orchestrator.Process{a, b})
	must(t, f.DeleteProcess(f.ctx, orchestrator.Process{BootID: "b", PID: 7, StartTime: 100}))
	must(t, f.DeleteProcess(f.ctx, a))
	list, err = f.Processes(f.ctx)
	must(t, err)
	equal(t, "processes", list, []orchestrator.Process{b})
}

// An event with something in every field; the test below sees to it that no
// field is forgotten.
func fullEvent(turn orchestrator.TurnID) orchestrator.Event {
	tool := orchestrator.ToolCall{
		ID: "t", Title: "<b>&", Kind: "edit", Status: "completed", Locations: []string{"a"}, Input: json.RawMessage(`{"a":1}`),
		Output: "out", Diffs: []orchestrator.ToolDiff{{Path: "p", New: true}},
	}
	return orchestrator.Event{
		Turn: turn, At: moment, Kind: orchestrator.EventSummary, Agent: "goose", Text: "tëxt\n", Hint: "boo", MessageID: "m",
		State: orchestrator.TurnHalted, Session: &orchestrator.SessionInfo{Rung: orchestrator.RungWarm, NativeID: "n", Caps: json.RawMessage(`[]`)},
		Tool: &tool, Plan: []orchestrator.PlanEntry{{Content: "c", Status: "pending"}}, Usage: &orchestrator.Usage{Input: 1},
		Permission: &orchestrator.Permission{ID: "q", Tool: tool, Options: []orchestrator.PermissionOption{{ID: "o"}}},
		Summary: &orchestrator.TurnSummary{
			State: orchestrator.TurnHalted, Files: []orchestrator.FileStat{{Path: "a\xffb", Op: orchestrator.OpEdit}},
			Skipped: []orchestrator.SkippedPath{{Path: "\x01", Reason: "r"}},
		},
		Raw: json.RawMessage(`{"x":[1,2]}`),
	}
}

func TestAnEventComesBackWhole(t *testing.T) {
	f := newFixture(t)
	want := fullEvent(f.turn.ID)
	want.Seq, want.Chat = 2, f.chat
	for v, i := reflect.ValueOf(want), 0; i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Fatalf("the test fills no %s", v.Type().Field(i).Name)
		}
	}
	stored, err := f.AppendEvents(f.ctx, f.chat, []orchestrator.Event{fullEvent(f.turn.ID)})
	must(t, err)
	equal(t, "stored", stored, []orchestrator.Event{want})
	equal(t, "read", f.events(t)[1:], []orchestrator.Event{want})
}

func TestEventsAreListedByNumberTurnAndLimit(t *testing.T) {
	f := newFixture(t)
	second := f.enqueue(t, "goose") // event 2
	_, err := f.AppendEvents(f.ctx, f.chat, texts(f.turn.ID, 5))
	must(t, err)
	_, err = f.AppendEvents(f.ctx, f.chat, texts(second.ID, 5))
	must(t, err)
	numbers := func(turn orchestrator.TurnID, after orchestrator.Seq, limit int) (list []orchestrator.Seq) {
		events, err := f.Events(f.ctx, f.chat, turn, after, limit)
		must(t, err)
		for _, ev := range events {
			list = append(list, ev.Seq)
		}
		return list
	}
	equal(t, "all", numbers("", 0, 0), []orchestrator.Seq{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	equal(t, "page", numbers("", 4, 3), []orchestrator.Seq{5, 6, 7})
	equal(t, "of a turn", numbers(second.ID, 2, 2), []orchestrator.Seq{8, 9})
	none, err := f.AppendEvents(f.ctx, f.chat, nil)
	if err != nil || len(none) != 0 {
		t.Fatal(none, err)
	}
	_, err = f.AppendEvents(f.ctx, "c-nowhere", texts("", 1))
	wantCode(t, orchestrator.CodeNotFound, err)
	broken := append(texts(f.turn.ID, 3), orchestrator.Event{Turn: "t-nowhere", Kind: orchestrator.EventText})
	_, err = f.AppendEvents(f.ctx, f.chat, broken)
	wantCode(t, orchestrator.CodeNotFound, err)
	if got := len(f.events(t)); got != 12 {
		t.Fatalf("%d events: part of a batch was stored", got)
	}
}
