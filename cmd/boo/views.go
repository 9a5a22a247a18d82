package main

import (
	"encoding/json"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

// The lines that --json prints. Fields are added over time, never renamed or
// removed. Times are RFC 3339, ids and states as everywhere.

type chatView struct {
	ID         orchestrator.ChatID        `json:"id"`
	Name       orchestrator.ChatName      `json:"name,omitempty"`
	Kind       orchestrator.ChatKind      `json:"kind,omitempty"`
	Agent      orchestrator.AgentName     `json:"agent,omitempty"`
	Model      string                     `json:"model,omitempty"`
	Title      string                     `json:"title"`
	State      orchestrator.ChatState     `json:"state"`
	Repo       orchestrator.CheckoutDir   `json:"repo"`
	Worktree   orchestrator.WorktreeDir   `json:"worktree"`
	WtState    orchestrator.WorktreeState `json:"worktree_state"`
	Base       orchestrator.ObjectID      `json:"base"`
	Baseline   orchestrator.ObjectID      `json:"baseline"`
	Agents     []orchestrator.AgentName   `json:"agents"`
	Turns      int                        `json:"turns"`
	Pending    int                        `json:"pending"`
	LastState  orchestrator.TurnState     `json:"last_turn_state,omitempty"`
	CreatedAt  time.Time                  `json:"created_at"`
	LastUsedAt time.Time                  `json:"last_used_at"`
	ClosedAt   *time.Time                 `json:"closed_at,omitempty"`
}

func viewChat(c orchestrator.ChatSummary) chatView {
	return chatView{
		ID: c.ID, Name: c.Name, Kind: c.Kind, Agent: c.Agent, Model: c.Model, Title: c.Title, State: c.Chat.State, Repo: c.RepoRoot,
		Worktree: c.Worktree.Dir, WtState: c.Worktree.State, Base: c.Worktree.Base, Baseline: c.Worktree.Baseline,
		Agents: c.Agents, Turns: c.Turns, Pending: c.Pending, LastState: c.LastState,
		CreatedAt: c.CreatedAt, LastUsedAt: c.LastUsedAt, ClosedAt: moment(c.ClosedAt),
	}
}

type chatDetailView struct {
	chatView
	TurnList []turnLine    `json:"turn_list"`
	Sessions []sessionLine `json:"sessions"`
}

type turnLine struct {
	ID      orchestrator.TurnID    `json:"id"`
	Number  int64                  `json:"number"`
	Agent   orchestrator.AgentName `json:"agent"`
	Model   string                 `json:"model,omitempty"`
	Prompt  string                 `json:"prompt"`
	State   orchestrator.TurnState `json:"state"`
	Reason  string                 `json:"reason,omitempty"`
	Session orchestrator.Rung      `json:"session,omitempty"`
	Before  orchestrator.ObjectID  `json:"before,omitempty"`
	After   orchestrator.ObjectID  `json:"after,omitempty"`
	Usage   orchestrator.Usage     `json:"usage"`
	Sent    time.Time              `json:"sent_at"`
	Started *time.Time             `json:"started_at,omitempty"`
	Ended   *time.Time             `json:"ended_at,omitempty"`
}

type sessionLine struct {
	Agent    orchestrator.AgentName    `json:"agent"`
	NativeID string                    `json:"native_id,omitempty"`
	State    orchestrator.SessionState `json:"state"`
	Session  orchestrator.Rung         `json:"session,omitempty"`
	Version  string                    `json:"agent_version,omitempty"`
	Protocol string                    `json:"protocol,omitempty"`
	Caps     json.RawMessage           `json:"capabilities,omitempty"`
	Can      []string                  `json:"can,omitempty"`
	LastErr  string                    `json:"last_error,omitempty"`
	Usage    orchestrator.Usage        `json:"usage"`
}

func viewDetail(d orchestrator.ChatDetail) chatDetailView {
	v := chatDetailView{chatView: viewChat(d.ChatSummary), TurnList: []turnLine{}, Sessions: []sessionLine{}}
	for _, t := range d.TurnList {
		v.TurnList = append(v.TurnList, viewTurn(t))
	}
	for _, s := range d.Sessions {
		can, _ := backends.Abilities(s.Caps)
		v.Sessions = append(v.Sessions, sessionLine{
			Agent: s.Agent, NativeID: s.NativeID, State: s.State, Session: s.Rung, Version: s.Version,
			Protocol: s.Backend, Caps: s.Caps, Can: can, LastErr: s.LastErr, Usage: s.Usage,
		})
	}
	return v
}

func viewTurn(t orchestrator.Turn) turnLine {
	return turnLine{
		ID: t.ID, Number: t.Number, Agent: t.Agent, Model: t.Model, Prompt: t.Prompt, State: t.State, Reason: t.Reason,
		Session: t.Rung, Before: t.Before, After: t.After, Usage: t.Usage,
		Sent: t.Sent, Started: moment(t.Started), Ended: moment(t.Ended),
	}
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
