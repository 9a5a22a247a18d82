package orchestrator_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"boo/orchestrator"
)

// session returns the row of an agent's session in the chat last used.
func (w *world) session(agent orchestrator.AgentName) orchestrator.Session {
	w.t.Helper()
	chat, err := w.Chat(w.t.Context(), orchestrator.ChatRef{Dir: w.repo})
	w.check(err)
	s, err := w.full.Session(w.t.Context(), chat.ID, agent)
	w.check(err)
	return s
}

// becomes waits for the session to come into a state.
func (w *world) becomes(agent orchestrator.AgentName, want orchestrator.SessionState) orchestrator.Session {
	w.t.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		s := w.session(agent)
		if s.State == want {
			return s
		}
		select {
		case <-tick.C:
		case <-deadline:
			w.t.Fatalf("the session is %s, want %s", s.State, want)
		}
	}
}

func TestASessionIsOnRecordAsItIs(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "remember HERON")
	w.becomes("one", orchestrator.SessionIdle)
	status, err := w.Status(t.Context())
	w.check(err)
	if status.Sessions[orchestrator.SessionIdle] != 1 || len(status.Agents) != 1 || status.Memory == 0 || status.Agents[0].Processes == 0 {
		t.Errorf("status: %+v", status)
	}
	procs, err := w.full.Processes(t.Context())
	w.check(err)
	if len(procs) != 1 || procs[0].PID != status.Agents[0].PID {
		t.Errorf("processes on record: %+v, alive: %+v", procs, status.Agents)
	}
	w.check(w.Restart(t.Context(), orchestrator.ChatRef{Dir: w.repo}, "one"))
	w.becomes("one", orchestrator.SessionEvicted)
	if procs, err = w.full.Processes(t.Context()); err != nil || len(procs) != 0 {
		t.Errorf("processes on record: %+v, %v", procs, err)
	}
}

func TestAWarmAgentThatIsKilledIsNoticedAndComesBack(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "remember HERON")
	process, err := os.FindProcess(w.pool.Live()[0].PID)
	w.check(err)
	w.check(process.Signal(syscall.SIGKILL))
	if s := w.becomes("one", orchestrator.SessionCrashed); !strings.Contains(s.LastErr, "killed") {
		t.Errorf("the session's error: %q", s.LastErr)
	}
	if h := w.turn("one", "recall"); h.summary().Rung != orchestrator.RungResumed || !strings.Contains(h.text(), "HERON") {
		t.Errorf("session %s, answer %q", h.summary().Rung, h.text())
	}
}

// frail gives out warm sessions whose agent has just ended, so many times.
type frail struct {
	orchestrator.Agents
	times atomic.Int32
}

type ended struct{ orchestrator.AgentSession }

func (ended) Prompt(context.Context, []string, func() error, func(orchestrator.Event)) (orchestrator.TurnResult, error) {
	return orchestrator.TurnResult{}, orchestrator.Errorf(orchestrator.CodeAgent, "agent one: %w", orchestrator.ErrUnsent)
}

func (f *frail) Start(ctx context.Context, req orchestrator.SessionRequest) (orchestrator.AgentSession, error) {
	s, err := f.Agents.Start(ctx, req)
	if err != nil || req.Last == "" || f.times.Load() == 0 {
		return s, err
	}
	f.times.Add(-1)
	return ended{s}, nil
}

// The agent ends between the look at it and the prompt: as nothing was sent, the
// turn goes on by the ladder. One that ends again right after its start is let be.
func TestAWarmAgentThatEndsBeforeThePromptComesBack(t *testing.T) {
	w := newWorld(t)
	agents := &frail{Agents: w.pool}
	w.Agents = agents
	w.turn("one", "remember HERON")
	agents.times.Store(1)
	h := w.turn("one", "recall")
	if h.summary().Rung != orchestrator.RungResumed || !strings.Contains(h.text(), "HERON") {
		t.Errorf("session %s, answer %q", h.summary().Rung, h.text())
	}
	agents.times.Store(2)
	h = w.follow(w.send("one", "recall").Turn, nil)
	if h.state != orchestrator.TurnFailed || !strings.Contains(h.reason, "nothing was sent") {
		t.Errorf("ended as %s: %s", h.state, h.reason)
	}
	if h := w.turn("one", "recall"); !strings.Contains(h.text(), "HERON") {
		t.Errorf("after it: %q", h.text())
	}
}

func TestAfterAStopNothingOfTheChatIsAlive(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "remember HERON") // the stopped turn is a warm one
	sent := w.send("one", "write part.txt with x;;hang")
	var once sync.Once
	w.follow(sent.Turn, func(ev orchestrator.Event) {
		if ev.Kind == orchestrator.EventTool && ev.Tool.Status == "completed" {
			once.Do(func() { go func() { _ = w.Stop(t.Context(), sent.Turn, false) }() })
		}
	})
	if live := w.pool.Live(); len(live) > 0 {
		t.Errorf("alive: %+v", live)
	}
	if h := w.turn("one", "recall"); h.summary().Rung != orchestrator.RungResumed || !strings.Contains(h.text(), "HERON") {
		t.Errorf("session %s, answer %q", h.summary().Rung, h.text())
	}
}

func TestASessionThatMissedATurnIsNotTakenForWarm(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "remember HERON")
	here, pool, full := w.Engine, w.pool, w.full
	w.Engine = w.open() // another boo, on the same data
	w.turn("one", "remember EGRET")
	w.check(w.Close())
	w.Engine, w.pool, w.full = here, pool, full
	h := w.turn("one", "recall")
	if h.summary().Rung != orchestrator.RungResumed || !strings.Contains(h.text(), "EGRET") {
		t.Errorf("session %s, answer %q", h.summary().Rung, h.text())
	}
}

func TestTheSendersEnvironmentIsTheAgents(t *testing.T) {
	w := newWorld(t)
	sent, err := w.Send(t.Context(), orchestrator.SendRequest{
		Ref: orchestrator.ChatRef{Dir: w.repo}, Agent: "one", Prompt: "run echo lang is $LANG > lang.txt",
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LANG=of-the-sender", "SECRET=no"},
	})
	w.check(err)
	w.follow(sent.Turn, nil)
	got, err := os.ReadFile(w.tree("lang.txt"))
	if err != nil || string(got) != "lang is of-the-sender\n" {
		t.Errorf("%q, %v", got, err)
	}
}
