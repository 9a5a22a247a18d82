package reaper_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"boo/backends/proc"
	"boo/orchestrator"
	"boo/orchestrator/daemon"
	"boo/pending"
	"boo/reaper"
)

// noAgents has nobody who is warm.
type noAgents struct{ orchestrator.Agents }

func (noAgents) Evict(context.Context, orchestrator.ChatID, orchestrator.AgentName) error { return nil }
func (noAgents) Live() []orchestrator.LiveAgent                                           { return nil }
func (noAgents) Close(context.Context) error                                              { return nil }

// hands are a clock that a test sets.
type hands struct{ now orchestrator.ClockReading }

func (h *hands) Read() (orchestrator.ClockReading, error) { return h.now, nil }

// pass lets time go by.
func (h *hands) pass(d time.Duration) {
	h.now.Up += d
	h.now.Wall = h.now.Wall.Add(d)
}

// set sets the wall clock.
func (h *hands) set(by time.Duration) { h.now.Wall = h.now.Wall.Add(by) }

// broom is an engine that sweeps a world, at times of the test's.
type broom struct {
	*world
	clock   *hands
	engine  *orchestrator.Engine
	sweeper *reaper.Sweeper
}

func (w *world) broom(rules reaper.Rules) *broom {
	w.t.Helper()
	locks, err := daemon.NewLocks(filepath.Join(w.root, "locks"))
	must(w.t, err)
	return w.broomWith(rules, locks)
}

func (w *world) broomWith(rules reaper.Rules, locks orchestrator.Locks) *broom {
	b := &broom{world: w, clock: &hands{orchestrator.ClockReading{Boot: "b1", Up: 48 * time.Hour, Wall: time.Now().UTC()}}}
	b.sweeper = &reaper.Sweeper{
		Archiver: w.archiver, Trees: w.trees, Rows: w.db, Locks: locks, Clock: b.clock, Rules: rules, Histories: filepath.Join(w.root, "histories"),
	}
	b.engine = orchestrator.NewEngine(orchestrator.Config{
		Store: w.db, Trees: w.trees, Agents: noAgents{}, Pending: pending.New(w.trees, w.db, locks), Locks: locks, Processes: proc.Table{},
		Archives: w.archiver, Reaper: b.sweeper, Worktrees: w.archiver.Root,
	})
	return b
}

func newBroom(t *testing.T) *broom {
	w := newWorld(t)
	must(t, w.settled())
	b := w.broom(reaper.DefaultRules())
	t.Cleanup(func() { _ = b.engine.Close() }) // it clears up in the background
	return b
}

// sweep sweeps and returns how much of what was done.
func (b *broom) sweep(reqs ...orchestrator.SweepRequest) orchestrator.Sweep {
	b.t.Helper()
	var req orchestrator.SweepRequest
	for _, req = range reqs {
	}
	done, err := b.engine.Sweep(b.t.Context(), req)
	must(b.t, err)
	for _, s := range done.Steps {
		b.t.Logf("%s %s %s: %s", s.Action, s.Chat, s.Path, s.Reason)
	}
	return done
}

// settled ends the turn of the world's chat, and gives its commit a branch: then
// nothing of it is at risk.
func (w *world) settled() error {
	turns, err := w.db.Turns(w.t.Context(), w.wt.Chat)
	if err != nil {
		return err
	}
	if _, err := w.db.EndTurn(w.t.Context(), orchestrator.TurnEnd{Turn: turns[0].ID, State: orchestrator.TurnFailed}); err != nil {
		return err
	}
	w.git(string(w.wt.Dir), "branch", "kept")
	return w.db.MoveWorktree(w.t.Context(), w.wt.Chat, []orchestrator.WorktreeState{orchestrator.WorktreeActive, orchestrator.WorktreeCreating}, orchestrator.WorktreeActive, "")
}
