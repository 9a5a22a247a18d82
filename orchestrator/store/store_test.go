package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/store"
	"boo/pending"
)

var (
	_ orchestrator.Store = (*store.Store)(nil)
	_ pending.Store      = (*store.Store)(nil)
)

func openStore(t testing.TB) *store.Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "state", "boo.db"))
}

func openAt(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, want orchestrator.Code, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", want)
	}
	if got := orchestrator.CodeOf(err); got != want {
		t.Fatalf("code %s, want %s: %v", got, want, err)
	}
}

const base = orchestrator.ObjectID("1111111111111111111111111111111111111111")

// fixture is a store with one repository and one chat, whose first turn waits.
type fixture struct {
	*store.Store
	ctx  context.Context
	repo orchestrator.Repo
	chat orchestrator.ChatID
	turn orchestrator.Turn
}

func newFixture(t testing.TB) fixture {
	t.Helper()
	return newFixtureIn(t, openStore(t))
}

func newFixtureIn(t testing.TB, s *store.Store) fixture {
	t.Helper()
	f := fixture{Store: s, ctx: t.Context()}
	f.repo = mustRepo(t, s, "/src/demo/.git")
	f.turn = mustChat(t, s, f.repo, "goose")
	f.chat = f.turn.Chat
	return f
}

func mustRepo(t testing.TB, s *store.Store, common orchestrator.GitDir) orchestrator.Repo {
	t.Helper()
	repo, err := s.PutRepo(t.Context(), orchestrator.Repo{
		ID: orchestrator.NewRepoID(), CommonDir: common, Root: orchestrator.CheckoutDir(filepath.Dir(string(common))),
	})
	must(t, err)
	return repo
}

func newChat(repo orchestrator.Repo) *orchestrator.NewChat {
	id := orchestrator.NewChatID()
	return &orchestrator.NewChat{
		Chat: orchestrator.Chat{ID: id, Repo: repo.ID, Title: "a title", State: orchestrator.ChatOpen, CreatedAt: moment},
		Worktree: orchestrator.Worktree{
			Chat: id, Repo: repo.ID, CommonDir: repo.CommonDir, Dir: orchestrator.WorktreeDir("/trees/" + id),
			Base: base, Baseline: base, State: orchestrator.WorktreeCreating, CreatedAt: moment,
		},
	}
}

// moment is a time as the store keeps it.
var moment = time.Date(2026, 3, 1, 12, 30, 0, 123e6, time.UTC)

func newTurn(chat orchestrator.ChatID, agent orchestrator.AgentName) orchestrator.Turn {
	return orchestrator.Turn{
		ID: orchestrator.NewTurnID(), Chat: chat, Agent: agent, Model: "m1", Prompt: "make it so", Sent: moment,
		Owner: orchestrator.Owner{BootID: "boot", PID: 42, StartTime: 4711},
	}
}

func mustChat(t testing.TB, s *store.Store, repo orchestrator.Repo, agent orchestrator.AgentName) orchestrator.Turn {
	t.Helper()
	chat := newChat(repo)
	turn, err := s.Enqueue(t.Context(), newTurn(chat.Chat.ID, agent), chat)
	must(t, err)
	return turn
}

func (f fixture) enqueue(t testing.TB, agent orchestrator.AgentName) orchestrator.Turn {
	t.Helper()
	turn, err := f.Enqueue(f.ctx, newTurn(f.chat, agent), nil)
	must(t, err)
	return turn
}

// run takes a turn to running.
func (f fixture) run(t testing.TB, id orchestrator.TurnID) {
	t.Helper()
	for _, state := range []orchestrator.TurnState{orchestrator.TurnAccepted, orchestrator.TurnRunning} {
		_, err := f.MoveTurn(f.ctx, id, state, "")
		must(t, err)
	}
}

func (f fixture) change(path orchestrator.Path) orchestrator.Change {
	return orchestrator.Change{
		ID: orchestrator.NewChangeID(), Chat: f.chat, State: orchestrator.ChangePending, Turn: f.turn.ID, CreatedAt: moment,
		FileChange: orchestrator.FileChange{
			Path: path, Old: orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: base},
			New: orchestrator.Entry{Mode: orchestrator.ModeExec, ID: base}, Added: 3, Deleted: 1,
		},
		Contributors: []orchestrator.Contribution{{Agent: orchestrator.Person, Turn: f.turn.ID}, {Agent: "goose", Turn: f.turn.ID}},
	}
}

// delta inserts changes, measured from the base.
func (f fixture) delta(insert ...orchestrator.Change) orchestrator.ChangeDelta {
	return orchestrator.ChangeDelta{Chat: f.chat, Baseline: base, Insert: insert}
}

func (f fixture) changes(t testing.TB, states ...orchestrator.ChangeState) []orchestrator.Change {
	t.Helper()
	list, err := f.Changes(f.ctx, orchestrator.ChangeQuery{Chat: f.chat, States: states})
	must(t, err)
	return list
}

func (f fixture) events(t testing.TB) []orchestrator.Event {
	t.Helper()
	list, err := f.Events(f.ctx, f.chat, "", 0, 0)
	must(t, err)
	return list
}

func texts(turn orchestrator.TurnID, n int) []orchestrator.Event {
	list := make([]orchestrator.Event, n)
	for i := range list {
		list[i] = orchestrator.Event{Turn: turn, Kind: orchestrator.EventText, Text: fmt.Sprintf("piece %d", i), At: moment}
	}
	return list
}

func TestTheFileIsForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "boo.db")
	s := openAt(t, path)
	mustRepo(t, s, "/a/.git") // makes the files beside it
	for name, want := range map[string]os.FileMode{"": 0o700, "boo.db": 0o600, "boo.db-wal": 0o600, "boo.db-shm": 0o600} {
		info, err := os.Stat(filepath.Join(filepath.Dir(path), name))
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
}

func TestAFileThatOthersCouldReadIsClosedToThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	must(t, os.WriteFile(path, nil, 0o644))
	openAt(t, path)
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %o", info.Mode().Perm())
	}
}

func TestOddCharactersInThePathAreJustCharacters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c=d&e#f%41ü", "boo.db")
	openAt(t, path)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
}

// schema returns the statements that made the tables.
func (f fixture) schema(t testing.TB) map[string]string {
	t.Helper()
	tables, err := f.Tables(f.ctx)
	must(t, err)
	return tables
}
