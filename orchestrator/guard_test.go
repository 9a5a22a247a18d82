package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// stage is a turn that is being watched over, on a clock of its own.
type stage struct {
	*guard
	t    *testing.T
	lt   *liveTurn
	work atomic.Int64 // CPU time of the agent's processes, in milliseconds
	down chan time.Duration

	mu   sync.Mutex
	told []string
}

// said lists the notices so far.
func (s *stage) said() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// stageAgents has one agent, whose processes have worked as the stage says.
type stageAgents struct {
	Agents
	s *stage
}

func (a stageAgents) Live() []LiveAgent {
	return []LiveAgent{{Agent: "one", Chats: []ChatID{"c1"}, CPU: Millis(a.s.work.Load())}}
}

// stageSession only hears when it is to stop.
type stageSession struct {
	AgentSession
	s *stage
}

func (a stageSession) Stop(_ context.Context, grace time.Duration) error {
	a.s.down <- grace
	return nil
}

func watched(t *testing.T, policy Policy, limits Limits, play func(s *stage)) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, down: make(chan time.Duration, 1)}
		e := NewEngine(Config{Agents: stageAgents{s: s}, Policy: policy})
		defer e.end()
		s.lt = &liveTurn{e: e, turn: Turn{ID: "t1", Chat: "c1", Agent: "one"}, ctx: e.life, session: stageSession{s: s}}
		s.guard = newGuard(s.lt, limits, func(ev Event) {
			if ev.Kind == EventNotice {
				s.mu.Lock()
				s.told = append(s.told, ev.Text)
				s.mu.Unlock()
			}
		})
		defer s.close()
		play(s)
	})
}

// after lets time pass and reports why the turn was halted by then.
func (s *stage) after(d time.Duration) string {
	<-time.After(d)
	synctest.Wait()
	select {
	case <-s.down:
		return s.lt.halted.reason
	default:
		return ""
	}
}

func (s *stage) tool(id, status, command, output string) {
	s.see(Event{Kind: EventTool, Tool: &ToolCall{ID: id, Kind: "execute", Status: status, Input: []byte(fmt.Sprintf("{%q:%q}", "command", command)), Output: output}})
}

const minute = time.Minute

func TestAnAgentThatGivesNoSignIsHalted(t *testing.T) {
	watched(t, Policy{Stall: 15 * minute}, Limits{}, func(s *stage) {
		if why := s.after(7 * minute); why != "" || len(s.said()) > 0 {
			t.Errorf("after 7 min: halted %q, said %q", why, s.said())
		}
		if why := s.after(minute); why != "" || len(s.said()) != 1 || !strings.Contains(s.said()[0], "no sign of life from one for 7m30s") {
			t.Errorf("after half the time: halted %q, said %q", why, s.said())
		}
		if why := s.after(6 * minute); why != "" {
			t.Errorf("halted too early: %q", why)
		}
		if why := s.after(2 * minute); why != "stalled: no sign of life from one for 15m0s" || len(s.said()) != 1 {
			t.Errorf("halted %q, said %q", why, s.said())
		}
	})
}

func TestWhoSpeaksIsNotHalted(t *testing.T) {
	watched(t, Policy{Stall: 15 * minute}, Limits{}, func(s *stage) {
		for range 10 {
			if why := s.after(14 * minute); why != "" {
				t.Fatalf("halted %q", why)
			}
			s.see(Event{Kind: EventThought, Text: "hm"})
		}
		if why := s.after(16 * minute); why == "" {
			t.Error("never halted")
		}
	})
}

func TestAnOpenQuestionIsTheAgentsGoodReasonToWait(t *testing.T) {
	watched(t, Policy{Stall: 15 * minute}, Limits{}, func(s *stage) {
		s.lt.asking.Add(1)
		if why := s.after(24 * time.Hour); why != "" || len(s.said()) > 0 {
			t.Fatalf("halted %q, said %q", why, s.said())
		}
		s.lt.asking.Add(-1)
		if why := s.after(16 * minute); why == "" {
			t.Error("answered, it may be silent for ever")
		}
	})
}

func TestARunningToolThatWorksIsASignOfLife(t *testing.T) {
	for name, c := range map[string]struct {
		open  bool
		share float64 // of one processor
		lives bool
	}{
		"a build":                      {open: true, share: 0.9, lives: true},
		"a tool that sleeps":           {open: true},
		"an agent that ticks":          {open: true, share: 0.001},
		"an agent that spins, no tool": {share: 1},
	} {
		t.Run(name, func(t *testing.T) {
			watched(t, Policy{Stall: 15 * minute}, Limits{}, func(s *stage) {
				if c.open {
					s.tool("1", "in_progress", "make", "")
				}
				why := ""
				for range 40 {
					s.work.Add(int64(c.share * float64(minute/time.Millisecond)))
					why += s.after(minute)
				}
				if (why == "") != c.lives {
					t.Errorf("after 40 min: halted %q", why)
				}
			})
		})
	}
}

func TestATurnIsHaltedAtItsLimits(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		play   func(s *stage)
		reason string
		hint   string
	}{
		"time":   {Limits{Time: minute}, func(s *stage) { <-time.After(minute) }, "budget: it has used 1m0s of time, the limit is 1m0s", "--max-time 2m0s"},
		"tokens": {Limits{Tokens: 100}, func(s *stage) { s.cost(Usage{Input: 90, Output: 11}) }, "budget: it has used 101 tokens, the limit is 100", "--max-tokens 200"},
		"window": {Limits{Tokens: 100}, func(s *stage) { s.cost(Usage{ContextUsed: 500}) }, "budget: it has used 500 tokens", "--max-tokens 200"},
		"cost":   {Limits{Cost: 0.5}, func(s *stage) { s.cost(Usage{Cost: 0.75, Currency: "USD"}) }, "budget: it has used 0.7500 USD, the limit is 0.5000", "--max-cost 1"},
		"calls": {Limits{Calls: 2}, func(s *stage) {
			for i, id := range []string{"a", "b", "b", "a", "c"} {
				s.tool(id, "completed", fmt.Sprint("x", i), "")
			}
		}, "budget: it has used 2 tool calls, the limit is 2", "--max-calls 4"},
	} {
		t.Run(name, func(t *testing.T) {
			watched(t, Policy{}, c.limits, func(s *stage) {
				if why := s.after(0); why != "" {
					t.Fatalf("halted at once: %s", why)
				}
				c.play(s)
				if why := s.after(0); !strings.HasPrefix(why, c.reason) || !strings.Contains(s.lt.halted.hint, c.hint) {
					t.Errorf("halted %q, to be mended by %q", why, s.lt.halted)
				}
			})
		})
	}
}

func TestUpToItsLimitsATurnGoesOn(t *testing.T) {
	watched(t, Policy{}, Limits{Tokens: 100, Cost: 1, Calls: 2, Time: time.Hour}, func(s *stage) {
		s.cost(Usage{Input: 100, Cost: 1})
		s.tool("a", "completed", "x", "")
		s.tool("b", "completed", "y", "")
		s.tool("a", "completed", "x", "more")
		if why := s.after(minute); why != "" {
			t.Errorf("halted %q", why)
		}
	})
}

func (s *stage) cost(u Usage) { s.see(Event{Kind: EventUsage, Usage: &u}) }

func TestAStopOfThePersonsComesFirst(t *testing.T) {
	watched(t, Policy{}, Limits{Time: minute}, func(s *stage) {
		s.lt.mu.Lock()
		s.lt.stopping = true
		s.lt.mu.Unlock()
		why := s.after(2 * minute)
		s.lt.mu.Lock()
		defer s.lt.mu.Unlock()
		if why != "" || s.lt.halted != nil {
			t.Errorf("halted %q", why)
		}
	})
}
