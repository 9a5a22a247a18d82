package backends_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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

// TestASharedAgentThatCrashesAgainAndAgainIsLeftAloneByAllChats has every chat
// lose a turn to it, so that none of them alone has had enough.
func TestASharedAgentThatCrashesAgainAndAgainIsLeftAloneByAllChats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plays := &agents{keeps: true, shares: true}
		h := newHouse(t, plays, backends.PoolOptions{})
		crash := func(chats ...orchestrator.ChatID) {
			t.Helper()
			var turns []orchestrator.AgentSession
			for _, chat := range chats {
				turns = append(turns, h.begin(chat, many))
			}
			plays.body(slices.Max(plays.pids())).die(errors.New("signal: killed"))
			for _, s := range turns {
				if err := s.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
		refused := func(chat orchestrator.ChatID, says string) {
			t.Helper()
			_, err := h.try(chat, many)
			if orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(fmt.Sprint(err), says) ||
				orchestrator.HintOf(err) != "boo chat restart "+string(chat)+" --agent opencode" {
				t.Errorf("%s: %v, to run %q", chat, err, orchestrator.HintOf(err))
			}
		}
		crash("c1", "c2", "c3") // which is one crash, of one process
		crash("c2")
		plays.fails = true // to come up
		for range 2 {
			if _, err := h.try("c3", many); err == nil || strings.Contains(err.Error(), "not started again") {
				t.Errorf("a start that fails: %v", err)
			}
		}
		plays.fails = false
		h.turn("c4", many) // between the turns it counts as well
		plays.body(slices.Max(plays.pids())).die(errors.New("signal: killed"))
		synctest.Wait()
		for _, chat := range []orchestrator.ChatID{"c1", "c5"} {
			refused(chat, "not started again for 1m0s")
		}
		<-time.After(20 * time.Second)
		refused("c1", "for 40s")
		if _, err := h.pool.Forget(t.Context(), orchestrator.ForgetRequest{Chat: "c1", Agent: "opencode", NativeID: "s", Dir: "/"}); err == nil {
			t.Error("it is started to delete a session")
		}
		h.want("started", plays.started, 5)
		h.want("another agent", h.turn("x1"), orchestrator.RungNew)
		<-time.After(40 * time.Second)
		h.want("after the cool-down", h.turn("c5", many), orchestrator.RungNew)
		for range 5 {
			crash(orchestrator.ChatID(fmt.Sprint("d", h.turns)))
		}
		refused("c1", "for 1m0s")
		if err := h.pool.Evict(t.Context(), "c1", "opencode"); err != nil {
			t.Error(err)
		}
		h.turn("c2", many) // a restart is for all
		for range 4 {
			crash(orchestrator.ChatID(fmt.Sprint("e", h.turns)))
			<-time.After(41 * time.Second)
		}
		h.turn("c2", many) // no five within two minutes
	})
}
