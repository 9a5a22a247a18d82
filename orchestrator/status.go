package orchestrator

import (
	"context"
	"time"
)

// Status is what runs and what waits at one moment.
type Status struct {
	// Sessions counts the agent sessions of all chats by their state.
	Sessions map[SessionState]int `json:"sessions"`
	// Agents are the live processes of agents, the last used first.
	Agents []LiveAgent `json:"agents"`
	// Running and Queued count turns of all chats, also those of other
	// processes.
	Running int `json:"running"`
	Queued  int `json:"queued"`
	// Memory is what the live processes hold, children included, in bytes.
	Memory int64 `json:"memory_bytes"`
}

// LiveAgent is one process of an agent, with everything below it.
type LiveAgent struct {
	Agent AgentName `json:"agent"`
	// Chats are those whose sessions it holds.
	Chats []ChatID `json:"chats"`
	PID   int      `json:"pid"`
	// Busy says that a turn of one of them runs.
	Busy bool `json:"busy"`
	// UsedAt is when it was last taken or released.
	UsedAt time.Time `json:"used_at"`
	// Processes counts the tree: the agent, its helpers, and what it started
	// and left running.
	Processes int   `json:"processes"`
	Memory    int64 `json:"memory_bytes"`
	// CPU is the processor time that the tree has used so far.
	CPU Millis `json:"cpu_ms"`
}

// Status tells what runs; see [Service.Status].
func (e *Engine) Status(ctx context.Context) (Status, error) {
	s := Status{Agents: e.Agents.Live()}
	var err error
	if s.Sessions, err = e.Store.SessionStates(ctx); err != nil {
		return s, err
	}
	open, err := e.Store.OpenTurns(ctx)
	if err != nil {
		return s, err
	}
	for _, t := range open {
		if t.State == TurnQueued {
			s.Queued++
		} else {
			s.Running++
		}
	}
	for _, a := range s.Agents {
		s.Memory += a.Memory
	}
	return s, nil
}

// Restart ends warm processes; see [Service.Restart].
func (e *Engine) Restart(ctx context.Context, ref ChatRef, agent AgentName) error {
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return err
	}
	release, err := e.seize(ctx, chat.ID)
	if err != nil {
		return err
	}
	defer release()
	return e.Agents.Evict(ctx, chat.ID, agent)
}
