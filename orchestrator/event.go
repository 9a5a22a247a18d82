package orchestrator

import (
	"encoding/json"
	"time"
)

// EventKind says what an event tells, and so which of its fields are set.
type EventKind string

// The kinds of events, with the fields of [Event] that each one fills.
const (
	EventPrompt     EventKind = "prompt"     // Agent, Text: what the person sent
	EventTurn       EventKind = "turn"       // State, Text (the reason), Hint: a turn changed its state
	EventSession    EventKind = "session"    // Agent, Session: how the session came to be
	EventText       EventKind = "text"       // Text, MessageID: a piece of the agent's answer
	EventThought    EventKind = "thought"    // Text, MessageID: a piece of its reasoning
	EventTool       EventKind = "tool"       // Tool: a tool call began or changed
	EventPlan       EventKind = "plan"       // Plan: the whole plan as it stands
	EventUsage      EventKind = "usage"      // Usage: what the turn has cost so far
	EventPermission EventKind = "permission" // Permission: a request, and later its answer
	EventMode       EventKind = "mode"       // Text: the agent's mode as it is now
	EventCommands   EventKind = "commands"   // Raw: the agent's slash commands
	EventNotice     EventKind = "notice"     // Text: something boo has to say
	EventUnknown    EventKind = "unknown"    // Raw: an update of a kind boo does not know
	EventSummary    EventKind = "summary"    // Summary: what the turn came to; its last event but one
)

// Event is one normalized thing that happened in a chat. The JSON form is the
// line that "boo chat send --json" and "boo chat log --json" print; fields are
// added over time, never renamed or removed.
type Event struct {
	Seq        Seq             `json:"seq"`
	Chat       ChatID          `json:"chat"`
	Turn       TurnID          `json:"turn,omitempty"`
	At         time.Time       `json:"at"`
	Kind       EventKind       `json:"kind"`
	Agent      AgentName       `json:"agent,omitempty"`
	Text       string          `json:"text,omitempty"`
	Hint       string          `json:"hint,omitempty"` // the command to run next
	MessageID  string          `json:"message_id,omitempty"`
	State      TurnState       `json:"state,omitempty"`
	Session    *SessionInfo    `json:"session,omitempty"`
	Tool       *ToolCall       `json:"tool,omitempty"`
	Plan       []PlanEntry     `json:"plan,omitempty"`
	Usage      *Usage          `json:"usage,omitempty"`
	Permission *Permission     `json:"permission,omitempty"`
	Summary    *TurnSummary    `json:"summary,omitempty"`
	Raw        json.RawMessage `json:"raw,omitempty"`
}

// SessionInfo tells how an agent session came to be.
type SessionInfo struct {
	Rung     Rung   `json:"rung"`
	NativeID string `json:"native_id"`
	Version  string `json:"agent_version,omitempty"`
	Protocol string `json:"protocol,omitempty"` // "acp/1"
	// Replayed counts the updates of a load's replay, which are not stored.
	Replayed int             `json:"replayed,omitempty"`
	Caps     json.RawMessage `json:"capabilities,omitempty"`
}

// ToolCall is one call of a tool as it stands after an update. Fields that an
// update did not carry keep their earlier value: consumers need no merging.
type ToolCall struct {
	ID        string          `json:"id"`
	Title     string          `json:"title,omitempty"` // the agent's words: untrusted
	Kind      string          `json:"kind,omitempty"`  // read, edit, delete, move, search, execute, think, fetch, other
	Status    string          `json:"status"`          // pending, in_progress, completed, failed
	Locations []string        `json:"locations,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Output    string          `json:"output,omitempty"` // text content, cut to 64 KiB
	Diffs     []ToolDiff      `json:"diffs,omitempty"`
	// Unsettled says that boo, not the agent, called it failed: the turn ended
	// and the agent had not said what became of it.
	Unsettled bool `json:"unsettled,omitempty"`
}

// ToolDiff names a file that a tool call says it changed.
type ToolDiff struct {
	Path string `json:"path"`
	New  bool   `json:"new,omitempty"`
}

// PlanEntry is one step of an agent's plan.
type PlanEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority,omitempty"`
	Status   string `json:"status"` // pending, in_progress, completed
}

// Permission is an agent's request to be allowed something, and its answer.
type Permission struct {
	ID      PermissionID       `json:"id"`
	Kind    string             `json:"kind,omitempty"` // what is asked, by the raw input: read, edit, execute, …
	Tool    ToolCall           `json:"tool"`
	Options []PermissionOption `json:"options"`
	Outcome string             `json:"outcome,omitempty"` // option id, or "cancelled"; "" while open
	By      string             `json:"by,omitempty"`      // who answered: person, policy; or "turn ended"
	Reason  string             `json:"reason,omitempty"`  // why the policy decided so
}

// PermissionOption is one answer that the agent offers.
type PermissionOption struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"` // allow_once, allow_always, reject_once, reject_always
}

// TurnSummary is what a turn came to.
type TurnSummary struct {
	State    TurnState     `json:"state"`
	Reason   string        `json:"reason,omitempty"`
	Hint     string        `json:"hint,omitempty"` // the command to run next
	Code     Code          `json:"code,omitempty"` // whose fault a failure was
	Rung     Rung          `json:"session"`
	Files    []FileStat    `json:"files"` // this turn's own share
	Usage    Usage         `json:"usage"`
	Calls    int           `json:"tool_calls"`
	Duration Millis        `json:"duration_ms"`
	Pending  int           `json:"pending"` // changes pending in the chat now
	Skipped  []SkippedPath `json:"skipped,omitempty"`
}

// Millis is a duration that is written as whole milliseconds.
type Millis int64

// FileStat is one changed file, counted.
type FileStat struct {
	Path    Path     `json:"path"`
	Op      ChangeOp `json:"op"`
	Added   int      `json:"added"`
	Deleted int      `json:"deleted"`
	Binary  bool     `json:"binary,omitempty"`
}
