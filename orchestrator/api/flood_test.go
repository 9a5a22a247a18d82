package api_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/api"
	"boo/orchestrator/store"
)

// frail is a connection that breaks after so many bytes, wherever that is.
type frail struct {
	net.Conn
	left int
}

var errBroken = errors.New("the connection broke")

func (f *frail) Read(p []byte) (int, error) {
	if f.left <= 0 {
		return 0, errBroken
	}
	n, err := f.Conn.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}

// frailDialer makes connections that break, and counts them.
func frailDialer(dial api.Dial, count *atomic.Int32) api.Dial {
	return func(ctx context.Context) (net.Conn, error) {
		conn, err := dial(ctx)
		count.Add(1)
		return &frail{Conn: conn, left: 500 + rand.IntN(manyEvents*50)}, err
	}
}

// heap is what is in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// strangers says that the turns are run by another process, which lives.
type strangers struct{ orchestrator.Processes }

func (strangers) Self() orchestrator.Owner      { return orchestrator.Owner{PID: 1} }
func (strangers) Alive(orchestrator.Owner) bool { return true }

// serveStore serves, on a socket, a store into which another process writes.
func serveStore(t *testing.T, path, socket string) (stop func()) {
	t.Helper()
	db, err := store.Open(t.Context(), path, store.Options{})
	check(t, err)
	engine := orchestrator.NewEngine(orchestrator.Config{Store: db, Processes: strangers{}})
	end := serveAt(t, socket, api.NewHandler(engine, api.Options{Patience: time.Second}))
	return func() {
		end()
		check(t, db.Close())
	}
}

// flood writes the events of a turn until it is over.
func flood(ctx context.Context, db *store.Store, turn orchestrator.Turn) error {
	batch := make([]orchestrator.Event, 64)
	for i := range batch {
		batch[i] = orchestrator.Event{Turn: turn.ID, Kind: orchestrator.EventText, Text: strings.Repeat("word ", i)}
	}
	for range manyEvents/len(batch) + 1 {
		if _, err := db.AppendEvents(ctx, turn.Chat, batch); err != nil {
			return err
		}
	}
	_, err := db.EndTurn(ctx, orchestrator.TurnEnd{Turn: turn.ID, State: orchestrator.TurnCompleted, Delta: orchestrator.ChangeDelta{Chat: turn.Chat, Baseline: "b"}})
	return err
}

// newTurn makes a chat with a turn that runs.
func newTurn(t *testing.T, db *store.Store) orchestrator.Turn {
	t.Helper()
	repo, err := db.PutRepo(t.Context(), orchestrator.Repo{ID: orchestrator.NewRepoID(), CommonDir: "/src/.git", Root: "/src"})
	check(t, err)
	chat := orchestrator.NewChatID()
	turn, err := db.Enqueue(t.Context(), orchestrator.Turn{
		ID: orchestrator.NewTurnID(), Chat: chat, Agent: "one", Prompt: "go", Owner: orchestrator.Owner{PID: 2},
	}, &orchestrator.NewChat{
		Chat:     orchestrator.Chat{ID: chat, Repo: repo.ID, State: orchestrator.ChatOpen},
		Worktree: orchestrator.Worktree{Chat: chat, Repo: repo.ID, CommonDir: "/src/.git", Dir: "/tree", Base: "b", Baseline: "b", State: orchestrator.WorktreeActive},
	})
	check(t, err)
	for _, state := range []orchestrator.TurnState{orchestrator.TurnAccepted, orchestrator.TurnRunning} {
		_, err := db.MoveTurn(t.Context(), turn.ID, state, "")
		check(t, err)
	}
	return turn
}

// A turn floods, while one follower's connections break again and again, and
// another one stops reading for a while. A third one comes when all is over, to
// a daemon that was not there before.
func TestNoneOfManyEventsIsLostOrDoubled(t *testing.T) {
	path, socket := filepath.Join(t.TempDir(), "boo.db"), filepath.Join(t.TempDir(), "s")
	db, err := store.Open(t.Context(), path, store.Options{})
	check(t, err)
	defer func() { check(t, db.Close()) }()
	turn := newTurn(t, db)
	stop := serveStore(t, path, socket)
	var connections atomic.Int32
	client := api.NewClient(frailDialer(dialer(socket), &connections)).Pausing(quick)
	calm := api.NewClient(dialer(socket)).Pausing(quick)
	before := heap()

	over := make(chan struct{})
	written, slow := make(chan error, 1), make(chan error, 1)
	go func() { written <- flood(t.Context(), db, turn) }() // both waited for below
	go func() {
		slow <- calm.Follow(t.Context(), turn.ID, 0, collect(t, 0, func(seq orchestrator.Seq) error {
			if seq == 100 {
				<-over
			}
			return nil
		}))
	}()
	var last orchestrator.Seq
	var most int64
	check(t, client.Follow(t.Context(), turn.ID, 0, collect(t, 0, func(seq orchestrator.Seq) error {
		if last = seq; seq%(manyEvents/10) == 0 {
			most = max(most, heap()-before)
		}
		return nil
	})))
	check(t, <-written)
	close(over)
	check(t, <-slow)
	t.Logf("%d events over %d connections, %d MiB more at the most", last, connections.Load(), most>>20)
	if last < manyEvents || connections.Load() < 3 || most > 64<<20 {
		t.Errorf("%d events over %d connections took %d MiB", last, connections.Load(), most>>20)
	}

	stop()
	defer serveStore(t, path, socket)()
	again := orchestrator.Seq(0)
	check(t, calm.Follow(t.Context(), turn.ID, last/2, collect(t, last/2, func(seq orchestrator.Seq) error {
		again = seq
		return nil
	})))
	if again != last {
		t.Errorf("another daemon knows %d of %d events", again, last)
	}
}
