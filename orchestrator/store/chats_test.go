package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/store"
)

func chatIDs(t testing.TB, s *store.Store, q orchestrator.ChatQuery) (ids []orchestrator.ChatID) {
	t.Helper()
	list, err := s.Chats(t.Context(), q)
	must(t, err)
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestChatsAreListedLastUsedFirstWhateverTheClockSays(t *testing.T) {
	now := moment
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "boo.db"), store.Options{Now: func() time.Time { return now }})
	must(t, err)
	defer s.Close()
	one, two := mustRepo(t, s, "/one/.git"), mustRepo(t, s, "/two/.git")
	a, b, c := mustChat(t, s, one, "goose").Chat, mustChat(t, s, two, "goose").Chat, mustChat(t, s, one, "goose").Chat
	equal(t, "in one millisecond", chatIDs(t, s, orchestrator.ChatQuery{}), []orchestrator.ChatID{c, b, a})
	now = now.Add(-time.Hour)
	_, err = s.Enqueue(t.Context(), newTurn(a, "goose"), nil)
	must(t, err)
	equal(t, "with the clock set back", chatIDs(t, s, orchestrator.ChatQuery{}), []orchestrator.ChatID{a, c, b})
	equal(t, "of a repository", chatIDs(t, s, orchestrator.ChatQuery{Repo: one.ID}), []orchestrator.ChatID{a, c})
	equal(t, "the last one", chatIDs(t, s, orchestrator.ChatQuery{Repo: one.ID, Limit: 1}), []orchestrator.ChatID{a})
	equal(t, "by prefix", chatIDs(t, s, orchestrator.ChatQuery{Called: string(b)[:8]}), []orchestrator.ChatID{b})
	equal(t, "by its whole id", chatIDs(t, s, orchestrator.ChatQuery{Called: string(b)}), []orchestrator.ChatID{b})
	if got := chatIDs(t, s, orchestrator.ChatQuery{Called: "cz"}); len(got) > 0 && string(got[0])[:2] != "cz" {
		t.Fatalf("by a prefix of none: %v", got)
	}
	chat, err := s.Chat(t.Context(), a)
	must(t, err)
	equal(t, "time of use", chat.LastUsedAt, now)
}

func TestASummaryCountsWhatTheChatHas(t *testing.T) {
	f := newFixture(t)
	f.enqueue(t, "qwen")
	f.enqueue(t, "goose")
	f.run(t, f.turn.ID)
	must(t, f.StoreDelta(f.ctx, f.delta(f.change("a"), f.change("b"))))
	list, err := f.Chats(f.ctx, orchestrator.ChatQuery{})
	must(t, err)
	got := list[0]
	if len(list) != 1 || got.Turns != 3 || got.Pending != 2 || got.LastState != orchestrator.TurnQueued ||
		got.RepoRoot != "/src/demo" || got.Worktree.Base != base || got.Worktree.Chat != f.chat || got.Repo != f.repo.ID {
		t.Fatalf("summary %+v", list)
	}
	equal(t, "agents", got.Agents, []orchestrator.AgentName{"goose", "qwen"})
	brief, err := f.Chats(f.ctx, orchestrator.ChatQuery{Repo: f.repo.ID, Shown: true, Brief: true})
	must(t, err)
	equal(t, "in brief", brief, []orchestrator.ChatSummary{{
		Chat:     orchestrator.Chat{ID: f.chat, Name: got.Name, Title: got.Title, State: got.Chat.State, LastUsedAt: got.LastUsedAt},
		Worktree: orchestrator.Worktree{Chat: f.chat},
		Turns:    3, Pending: 2, Agents: got.Agents, LastState: got.LastState,
	}})
}

func TestAnEmptyStoreListsNothing(t *testing.T) {
	s := openStore(t)
	if got := chatIDs(t, s, orchestrator.ChatQuery{}); len(got) != 0 {
		t.Fatal(got)
	}
	turns, err := s.OpenTurns(t.Context())
	must(t, err)
	applies, err := s.Applies(t.Context(), "")
	must(t, err)
	if len(turns)+len(applies) != 0 {
		t.Fatal(turns, applies)
	}
}

func TestEveryCommandFindsOpenTurnsByAnIndex(t *testing.T) {
	plan, err := openStore(t).Plan(t.Context(), store.OpenTurnsQuery)
	must(t, err)
	equal(t, "plan", plan, []string{"SCAN turns USING INDEX turns_open"})
}
