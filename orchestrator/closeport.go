package orchestrator

import (
	"context"
	"time"
)

// Closing is the part of [Service] that ends chats and begins sessions anew.
//
// What that means to the agents is the same everywhere. To close a chat puts its
// agents' sessions away: they stay in the agents' own stores, so that the chat
// goes on with them when it is opened again. To reset an agent, or to remove a
// chat, has the sessions deleted there, by the agents that can be asked to; from
// those that cannot, boo never asks for them again.
type Closing interface {
	// CloseChat ends a chat: it takes no more turns, its agents' sessions are put
	// away and its worktree is archived. Closed already, it does nothing.
	// CodeBusy while a turn of it runs or waits, or while it is being closed. On
	// CodeAtRisk and CodeUnverified the result has the verdict, and the chat is
	// open still.
	CloseChat(ctx context.Context, ref ChatRef, opts CloseOptions) (ClosedChat, error)
	// ReopenChat opens a chat that was closed or removed. Its worktree comes back
	// with the next prompt, or [Service.Unarchive].
	ReopenChat(ctx context.Context, ref ChatRef) (ReopenedChat, error)
	// RemoveChat closes a chat, has its agents delete their sessions, and hides
	// it. Its history and its snapshots are kept for the time that the reaper
	// keeps archives, and until then it can be opened again. Errors are those of
	// CloseChat.
	RemoveChat(ctx context.Context, ref ChatRef, opts CloseOptions) (ClosedChat, error)
	// ResetChat gives agents of a chat a new context: the next turn of each begins
	// a session that knows nothing of the chat, while its worktree, its pending
	// changes and what it has cost stay. A turn that runs is waited for, or
	// cancelled if opts say so; waiting is called once then. An agent that was live
	// is started again at once, another one by its next turn.
	ResetChat(ctx context.Context, ref ChatRef, opts ResetOptions) (ResetResult, error)
}

// CloseOptions are consents to what a chat's end does.
type CloseOptions struct {
	// Force archives the worktree also with changes, stashes or commits at risk:
	// all of it is kept by refs.
	Force bool
	// KeepWorktree leaves it on the disk, for the reaper. [Service.RemoveChat]
	// takes no notice of it.
	KeepWorktree bool
	// Environ is the person's environment, for agents that have to be started; as
	// in [SendRequest].
	Environ []string
}

// ClosedChat says what became of a chat that was closed or removed.
type ClosedChat struct {
	Chat ChatID `json:"chat"`
	// Already says that it was so before.
	Already bool `json:"already,omitempty"`
	// Worktree says where its files were; nil where they were left alone.
	Worktree *Archived `json:"worktree,omitempty"`
	// Sessions are those that agents were asked to delete.
	Sessions []DeletedSession `json:"sessions,omitempty"`
}

// ReopenedChat says how a chat stands that was opened again.
type ReopenedChat struct {
	Chat     ChatID        `json:"chat"`
	Already  bool          `json:"already,omitempty"` // it was open
	Worktree WorktreeState `json:"worktree_state"`
	Dir      WorktreeDir   `json:"dir"`
}

// DeletedSession says whether an agent's own copy of a session is gone.
type DeletedSession struct {
	Agent   AgentName `json:"agent"`
	Deleted bool      `json:"deleted"`
	// Kept says why it is not.
	Kept string `json:"kept,omitempty"`
}

// ResetOptions say what is reset.
type ResetOptions struct {
	Agent AgentName // "" for all that have taken turns in the chat
	// ClearLog begins an empty log. The events that it had stay in the store,
	// and the numbers go on.
	ClearLog bool
	// Now cancels the turn of such an agent that runs, instead of waiting.
	Now     bool
	Environ []string // as in [CloseOptions]
	Waiting func()   `json:"-"` // called once if a turn has to be waited for; may be nil
}

// ResetResult says what was reset.
type ResetResult struct {
	Chat     ChatID           `json:"chat"`
	Agents   []AgentName      `json:"agents"`
	Sessions []DeletedSession `json:"sessions,omitempty"`
	// Restarted are those of Agents that were live, and are being started again
	// in the background: a prompt that comes meanwhile waits for that.
	Restarted []AgentName `json:"restarted,omitempty"`
	// Log is set when the log was cleared: the number after which it begins.
	Log Seq `json:"log_after,omitempty"`
}

// ClosingStore keeps the ends of chats and the resets of sessions.
type ClosingStore interface {
	// MoveChat takes a chat from a state to another one, on disk on return.
	// CodeBusy if it is in another state, or if one of its turns is open and it is
	// not to be so itself. Closed, its sessions are; archived, they are forgotten,
	// and another may take its name, which it else has back when it is open again.
	MoveChat(ctx context.Context, m ChatMove) error
	// ClosingChats lists the chats that are being closed. It is cheap where there
	// are none.
	ClosingChats(ctx context.Context) ([]ChatID, error)
	// ResetSessions forgets the sessions of agents, in one transaction: their
	// generation is raised, so that nothing which was told of the old one is
	// stored any more, and notes to them are dropped. It tells after which event
	// the log begins. CodeBusy while a turn of one of them is live.
	ResetSessions(ctx context.Context, r SessionReset) (logAfter Seq, err error)
	// Forgotten lists the sessions that agents are to delete, of a chat unless it
	// is "".
	Forgotten(ctx context.Context, chat ChatID) ([]ForgottenSession, error)
	// DropForgotten takes one off that list.
	DropForgotten(ctx context.Context, f ForgottenSession) error
}

// ChatMove is a step in the life of a chat.
type ChatMove struct {
	Chat   ChatID
	From   []ChatState
	To     ChatState
	Notice string // for its log; "" for none
}

// SessionReset says whose sessions are forgotten.
type SessionReset struct {
	Chat     ChatID
	Agents   []AgentName
	ClearLog bool
	Notice   string // for the log
}

// ForgottenSession is a session of an agent's that boo asks for no more.
type ForgottenSession struct {
	Agent    AgentName
	NativeID string
	Chat     ChatID
	Since    time.Time
}
