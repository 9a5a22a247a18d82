package backends_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"boo/backends"
	"boo/orchestrator"
)

func many(r *orchestrator.SessionRequest) { r.Agent = "opencode" }

func TestOneAgentTakesTurnsOfSeveralChatsAtOnce(t *testing.T) {
	h := newHouse(t, &agents{keeps: true, shares: true}, backends.PoolOptions{})
	first, second := h.begin("c1", many), h.begin("c2", many)
	h.want("alive", h.plays.pids(), []int{1})
	h.release(first)
	h.want("first again", h.turn("c1", many), orchestrator.RungWarm)
	h.release(second)
	h.want("second again", h.turn("c2", many), orchestrator.RungWarm)
	h.want("alive", h.plays.pids(), []int{1})
}

func TestTwentyFirstTurnsBringUpOneAgent(t *testing.T) {
	h := newHouse(t, &agents{keeps: true, shares: true}, backends.PoolOptions{})
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			chat := orchestrator.ChatID(rune('a' + i))
			s, err := h.pool.Start(t.Context(), orchestrator.SessionRequest{Chat: chat, Agent: "opencode", Dir: "/"})
			if err != nil {
				t.Error(err)
				return
			}
			h.release(s)
		})
	}
	all.Wait()
	h.want("started", h.plays.started, 1)
}

func TestAStopPutsOnlyItsOwnSessionAway(t *testing.T) {
	h := newHouse(t, &agents{keeps: true, shares: true}, backends.PoolOptions{})
	first, second := h.begin("c1", many), h.begin("c2", many)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.want("alive", h.plays.pids(), []int{1})
	h.want("put away", h.plays.body(1).put, []string{first.Info().NativeID})
	if _, err := second.Prompt(t.Context(), nil, nil, nil); err != nil {
		t.Error(err)
	}
	h.release(second)
	h.want("the stopped one", h.turn("c1", many), orchestrator.RungResumed)
	h.want("the other", h.turn("c2", many), orchestrator.RungWarm)
}

func TestTheEndOfAnAgentIsToldToAllItsChats(t *testing.T) {
	h := newHouse(t, &agents{keeps: true, shares: true}, backends.PoolOptions{})
	h.turn("idle", many)
	first, second := h.begin("c1", many), h.begin("c2", many)
	h.plays.body(1).die(errors.New("killed"))
	for _, s := range []orchestrator.AgentSession{first, second} {
		if _, err := s.Prompt(t.Context(), nil, nil, nil); !errors.Is(err, orchestrator.ErrAgentDied) {
			t.Errorf("got %v", err)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if told := h.told("idle"); len(told) != 1 || told[0] == nil {
		t.Errorf("the idle one was told %v", told)
	}
	h.want("next", h.turn("c1", many), orchestrator.RungResumed)
	h.want("next", h.turn("c2", many), orchestrator.RungResumed)
	h.want("alive", h.plays.pids(), []int{2})
}

func TestEvictionWaitsForTheTurnOfItsOwnSessionOnly(t *testing.T) {
	h := newHouse(t, &agents{keeps: true, shares: true}, backends.PoolOptions{})
	first, second := h.begin("c1", many), h.begin("c2", many)
	if err := h.pool.Evict(t.Context(), "c1", "opencode"); err != nil {
		t.Fatal(err)
	}
	h.release(second)
	h.want("the other", h.turn("c2", many), orchestrator.RungWarm)
	h.release(first)
	h.want("the evicted one", h.turn("c1", many), orchestrator.RungResumed)
	h.want("alive", h.plays.pids(), []int{1})
}
