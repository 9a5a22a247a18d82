package backends_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"boo/backends"
	"boo/orchestrator"
)

func TestChatsThatTakeTurnsShareAProcess(t *testing.T) {
	h := newHouse(t, &agents{keeps: true, shares: true}, backends.PoolOptions{})
	h.turn("c1")
	h.turn("c2")
	h.want("alive", h.plays.pids(), []int{1})
	h.want("first again", h.turn("c1"), orchestrator.RungWarm)
	h.want("second again", h.turn("c2"), orchestrator.RungWarm)
	if dir := h.plays.body(1).dir; dir == "/" || dir == "" {
		t.Errorf("it stands in a worktree: %q", dir)
	}
	if live := h.pool.Live(); len(live) != 1 || fmt.Sprint(live[0].Chats) != "[c1 c2]" {
		t.Errorf("live: %+v", live)
	}
}

func TestATurnHasItsProcessForItself(t *testing.T) {
	h := newHouse(t, &agents{keeps: true, shares: true}, backends.PoolOptions{})
	h.turn("c1")
	h.turn("c2")
	first := h.begin("c1")
	h.want("the other meanwhile", h.turn("c2"), orchestrator.RungResumed)
	h.want("alive", h.plays.pids(), []int{1, 2})
	h.want("put away in the first", h.plays.body(1).put, []string{"s1.2"})
	if err := first.Close(t.Context()); err != nil { // a stop
		t.Error(err)
	}
	h.want("a stop of the first leaves the other alone", h.turn("c2"), orchestrator.RungWarm)
}

func TestACrashIsToldToEverySession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &agents{keeps: true, shares: true}, backends.PoolOptions{})
		h.turn("c1")
		h.turn("c2")
		h.plays.body(1).die(errors.New("exit status 3"))
		synctest.Wait()
		h.want("first", h.told("c1"), "[exit status 3]")
		h.want("second", h.told("c2"), "[exit status 3]")
	})
}

func TestAnEvictionWhileAnotherChatIsBusyWaitsForNobody(t *testing.T) {
	h := newHouse(t, &agents{keeps: true, shares: true}, backends.PoolOptions{})
	h.turn("c1")
	h.turn("c2")
	s := h.begin("c2")
	if err := h.pool.Evict(t.Context(), "c1", ""); err != nil {
		t.Error(err)
	}
	h.want("told", h.told("c1"), []error{nil})
	h.want("alive", h.plays.pids(), []int{1})
	h.release(s)
	h.want("alive after the turn", len(h.plays.pids()), 0)
	h.want("told", h.told("c2"), []error{nil})
}

func TestTurnsAndEvictionsDoNotRace(t *testing.T) {
	plays := &agents{keeps: true, shares: true, memory: 10}
	h := newHouse(t, plays, backends.PoolOptions{MaxLive: 2, MaxRSS: 15})
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			chat := orchestrator.ChatID(fmt.Sprint("c", i))
			req := orchestrator.SessionRequest{Chat: chat, Agent: "one", Dir: "/", Ended: func(error) {}}
			for n := range 60 {
				req.Last, req.Turn = req.Turn, orchestrator.TurnID(fmt.Sprint(chat, "t", n))
				s, err := h.pool.Start(context.Background(), req)
				if err != nil {
					t.Error(err)
					return
				}
				req.NativeID = s.Info().NativeID
				if _, err := s.Prompt(context.Background(), nil, nil, nil); err != nil {
					t.Errorf("an agent was ended in mid-turn: %v", err)
				}
				if rand.IntN(8) == 0 {
					err = s.Close(context.Background())
				} else {
					err = s.Release(context.Background())
				}
				if err == nil && rand.IntN(8) == 0 {
					err = h.pool.Evict(context.Background(), chat, "")
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
