package orchestrator

import "time"

// Chat is a conversation about one repository.
type Chat struct {
	ID         ChatID
	Repo       RepoID
	Name       ChatName // "" for one that is only known by its id
	Kind       ChatKind
	Title      string // first line of the first prompt, shortened; "" before it
	State      ChatState
	Agent      AgentName // takes the prompts that name none; "" for the last one that took one
	Model      string    // of Agent, likewise; "" for the agent's own
	CreatedAt  time.Time
	LastUsedAt time.Time
	ClosedAt   time.Time // when it was closed or removed; zero while it is open
	LogAfter   Seq       // its log begins after this event
}

// ChatKind says what a chat is for.
type ChatKind string

// The kinds of chats.
const (
	KindChat ChatKind = "chat" // goes on
	KindRun  ChatKind = "run"  // was made for one prompt
)

// ChatState says whether a chat takes turns:
//
//	       close                       rm
//	open ◀──────▶ closing ──▶ closed ─────▶ archived ──▶ purged with its worktree
//	  ▲  taken back              │              │
//	  ╰──────────────────────────┴──────────────╯ reopen, or a prompt to it
//
// One that is archived was removed: it is hidden, and kept for the retention.
type ChatState string

// The states of a chat.
const (
	ChatOpen     ChatState = "open"
	ChatClosing  ChatState = "closing"
	ChatClosed   ChatState = "closed"
	ChatArchived ChatState = "archived"
)

// Words says the state to a person.
func (s ChatState) Words() string {
	if s == ChatArchived {
		return "removed"
	}
	return string(s)
}

// Session is one agent's part in a chat. It outlives the agent's process.
type Session struct {
	Chat     ChatID
	Agent    AgentName
	Backend  string // protocol: "acp", "opencode"
	NativeID string // the agent's own id; "" before the first
	State    SessionState
	Rung     Rung   // how the newest process came by the session
	Version  string // of the agent, as it said
	Caps     []byte // capabilities as the agent sent them, JSON
	SeenTurn int64  // Turn.Number up to which the agent knows the chat
	Usage    Usage  // lifetime totals
	LastErr  string
	UsedAt   time.Time
	// Generation is raised by each reset. What an older one still tells is not
	// stored.
	Generation int64
	ResetTurn  int64 // Turn.Number up to which nothing is told to the agent any more
}

// SessionState is where an agent session is in its life.
type SessionState string

// The states of a session.
const (
	SessionNone       SessionState = "none"
	SessionStarting   SessionState = "starting"
	SessionIdle       SessionState = "idle"
	SessionBusy       SessionState = "busy"
	SessionCancelling SessionState = "cancelling"
	SessionEvicted    SessionState = "evicted"
	SessionCrashed    SessionState = "crashed"
	SessionClosed     SessionState = "closed"
)

// Rung is the step of the resume ladder that brought a session about.
type Rung string

// The rungs, best first.
const (
	RungWarm    Rung = "warm"    // the process was alive and held the session
	RungResumed Rung = "resumed" // the agent brought its own session back
	RungHistory Rung = "history" // a new session that is told what it missed
	RungNew     Rung = "new"     // nothing to tell
)

// Usage counts what turns cost, in the agents' own figures.
type Usage struct {
	Input      int64   `json:"input_tokens"`
	Output     int64   `json:"output_tokens"`
	CacheRead  int64   `json:"cache_read_tokens,omitempty"`
	CacheWrite int64   `json:"cache_write_tokens,omitempty"`
	Cost       float64 `json:"cost,omitempty"`
	Currency   string  `json:"currency,omitempty"`
	// ContextUsed and ContextSize are the agent's window as it stands now:
	// states, not sums.
	ContextUsed int64 `json:"context_used,omitempty"`
	ContextSize int64 `json:"context_size,omitempty"`
}

// Plus returns the sum of two usages; the window is taken from v if it has one.
func (u Usage) Plus(v Usage) Usage {
	u.Input += v.Input
	u.Output += v.Output
	u.CacheRead += v.CacheRead
	u.CacheWrite += v.CacheWrite
	u.Cost += v.Cost
	if v.Currency != "" {
		u.Currency = v.Currency
	}
	if v.ContextUsed != 0 || v.ContextSize != 0 {
		u.ContextUsed, u.ContextSize = v.ContextUsed, v.ContextSize
	}
	return u
}

// Process identifies a process that boo started, for as long as the machine
// runs: a pid alone is reused, these three together are not.
type Process struct {
	BootID    string
	PID       int
	StartTime uint64 // clock ticks after boot, field 22 of /proc/PID/stat
	Chat      ChatID
	Turn      TurnID
	Agent     AgentName
	Tag       string // value of BOO_RUN in its environment and its children's
}
