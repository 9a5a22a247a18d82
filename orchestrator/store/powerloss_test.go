package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/store"
)

// A loss of power leaves some beginning of the log on disk. Whatever beginning
// that is, the store opens and shows whole transactions, up to one of them.
func TestAnyBeginningOfTheLogIsAWholeState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	s := openAt(t, path)
	repo := mustRepo(t, s, "/src/demo/.git")
	turn := mustChat(t, s, repo, "goose")
	for range 15 {
		must2(s.AppendEvents(t.Context(), turn.Chat, texts(turn.ID, batchSize)))(t)
	}
	must2(s.EndTurn(t.Context(), orchestrator.TurnEnd{Turn: turn.ID, State: orchestrator.TurnCancelled}))(t)
	whole := 15*batchSize + 3
	data, err := os.ReadFile(path)
	must(t, err)
	log, err := os.ReadFile(path + "-wal")
	must(t, err)

	const header, frame = 32, 24 + 4096
	var cuts []int
	for end := header; end <= len(log); end += frame {
		cuts = append(cuts, end)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		cuts = append(cuts, random.IntN(len(log)))
	}
	seen := map[int]bool{}
	for i, cut := range cuts {
		copied := filepath.Join(t.TempDir(), fmt.Sprint(i), "boo.db")
		must(t, os.MkdirAll(filepath.Dir(copied), 0o700))
		must(t, os.WriteFile(copied, data, 0o600))
		must(t, os.WriteFile(copied+"-wal", log[:cut], 0o600))
		seen[eventsAfter(t, copied, turn)] = true
	}
	if len(seen) < 15 || !seen[0] || !seen[whole] {
		t.Fatalf("the cuts show only these numbers of events: %v", seen)
	}
}

// eventsAfter opens what a loss of power has left, and counts.
func eventsAfter(t *testing.T, path string, turn orchestrator.Turn) int {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.Options{})
	must(t, err)
	defer s.Close()
	events, err := s.Events(t.Context(), turn.Chat, "", 0, 0)
	must(t, err)
	checkEvents(t, events)
	got, err := s.Turn(t.Context(), turn.ID)
	if len(events) == 0 {
		wantCode(t, orchestrator.CodeNotFound, err)
		return 0
	}
	must(t, err)
	last := events[len(events)-1]
	if ended := last.Kind == orchestrator.EventTurn; ended != got.State.Terminal() {
		t.Fatalf("the turn is %s, the last event a %s", got.State, last.Kind)
	}
	return len(events)
}

// must2 is must for calls that return a value too.
func must2(_ any, err error) func(testing.TB) {
	return func(t testing.TB) {
		t.Helper()
		must(t, err)
	}
}
