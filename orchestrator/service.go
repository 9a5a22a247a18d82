package orchestrator

import (
	"context"
)

// Service is what the commands of the program talk to. [Engine] implements it
// in the process of the command itself; a daemon's client can implement it
// without anything above noticing. All methods may be called concurrently.
type Service interface {
	Reviews
	Approving
	Checking
	Checkpointing
	Closing
	Reaping

	// Send commits a prompt and hands it to its chat. When it returns, the
	// prompt is on disk and the turn will be taken in its order. Nothing is
	// made when it returns an error.
	Send(ctx context.Context, req SendRequest) (Sent, error)

	// CreateChat makes a chat that has a name, and no prompt yet. CodeConflict if
	// the name is taken. Its worktree is made for its first prompt.
	CreateChat(ctx context.Context, req CreateRequest) (ChatSummary, error)

	// Follow passes the turn's events after a number to yield, in order and
	// each once, until the turn is terminal and all are passed, or yield or ctx
	// ends it. It sees turns that another process runs.
	Follow(ctx context.Context, turn TurnID, after Seq, yield func(Event) error) error

	// FollowChat passes the events of all turns of a chat after a number to
	// yield, in order and each once, until yield or ctx ends it. CodeInterrupted
	// when the orchestrator itself ends.
	FollowChat(ctx context.Context, chat ChatID, after Seq, yield func(Event) error) error

	// Stop cancels a turn. The agent has some seconds to answer; with now its
	// processes are ended at once.
	Stop(ctx context.Context, turn TurnID, now bool) error

	// Permissions lists the open requests of one chat, or of all chats, the
	// oldest first.
	Permissions(ctx context.Context, ref ChatRef, all bool) ([]OpenPermission, error)

	// Answer answers an open permission request. The answer is on disk before
	// the agent has it. CodeNotFound if the request is not open any more,
	// CodeInvalid if the agent does not offer such an answer: it stays open then.
	Answer(ctx context.Context, id PermissionID, a PermissionAnswer) error

	// Chats lists chats, the last used first.
	Chats(ctx context.Context, req ChatsRequest) ([]ChatSummary, error)
	// Chat shows one chat; see [ChatRef].
	Chat(ctx context.Context, ref ChatRef) (ChatDetail, error)
	// Log lists a chat's events after a number, at most limit.
	Log(ctx context.Context, ref ChatRef, after Seq, limit int) ([]Event, error)
	// ClearedLog lists likewise what was in the log before it was last cleared, by
	// [Closing.ResetChat].
	ClearedLog(ctx context.Context, ref ChatRef, after Seq, limit int) ([]Event, error)

	// Changes lists pending changes.
	Changes(ctx context.Context, sel ChangeSelector) ([]Change, error)
	// Apply writes the selected pending changes of one chat into the checkout
	// that sel.Dir is in. On CodeConflict the result names the paths.
	Apply(ctx context.Context, sel ChangeSelector, opts ApplyOptions) (ApplyResult, error)
	// Reject takes the selected pending changes of one chat out of its
	// worktree, once no turn of it runs. On CodeConflict the result names the
	// paths.
	Reject(ctx context.Context, sel ChangeSelector, opts RejectOptions) (ApplyResult, error)
	// Hunks cuts the selected pending changes of one chat into the pieces that
	// can be applied or rejected one by one.
	Hunks(ctx context.Context, sel ChangeSelector) ([]ChangeHunks, error)
	// Dangers says which changes of a set an apply refuses, or only takes if
	// their danger is allowed, and why. Names are compared within the set.
	Dangers(ctx context.Context, set ChangeSet) (map[Path]PathConflict, error)
	// Undo takes back the last apply or reject that was asked for in the
	// checkout that dir is in. waiting is called once if a turn runs whose end
	// has to be waited for.
	Undo(ctx context.Context, dir string, waiting func()) (ApplyResult, error)
	// Restart ends the warm process of a chat's agent, of all its agents if
	// agent is "": the next turn brings the session back by the resume ladder.
	// CodeBusy while a turn of the chat runs.
	Restart(ctx context.Context, ref ChatRef, agent AgentName) error
	// Status tells what runs and what waits, of all chats.
	Status(ctx context.Context) (Status, error)

	// RebuildLog writes a chat's session log anew from what is stored, and returns
	// where it is. environ is the person's environment, of which no secrets are
	// written.
	RebuildLog(ctx context.Context, ref ChatRef, environ []string) (path string, err error)
	// Usage adds up what the turns of all chats have cost, the dearest first, or
	// day by day.
	Usage(ctx context.Context, by UsageBy) ([]UsageLine, error)

	// WorktreeList lists the chats' worktrees with what they take: those of the
	// repository that dir is in, or all.
	WorktreeList(ctx context.Context, dir string, all bool) ([]WorktreeInfo, error)
	// Repair mends the worktree of a chat, or those of the repository when ref
	// names none, and tells what it did to each.
	Repair(ctx context.Context, ref ChatRef) ([]WorktreeRepair, error)
	// Risk judges whether the worktree of a chat, or those of the repository when
	// ref names none, could go without anything being lost or disturbed.
	Risk(ctx context.Context, ref ChatRef) ([]RiskVerdict, error)
	// Archive takes the worktree of a chat off the disk: all of it that git can
	// hold is kept by refs, and a restore or the next prompt brings it back. With
	// force also where changes or commits are at risk. On CodeAtRisk and
	// CodeUnverified the result has the verdict.
	Archive(ctx context.Context, ref ChatRef, force bool) (Archived, error)
	// Unarchive brings an archived worktree back; where it is there it does
	// nothing.
	Unarchive(ctx context.Context, ref ChatRef) (Worktree, error)
	// Recover settles what a boo that died left behind, and reports it. Every
	// command calls it first; it costs one query when there is nothing to do.
	Recover(ctx context.Context) ([]Recovery, error)
	// Close ends what still runs, waits for it, and releases the store.
	Close() error
}

// ChatRef names a chat from the place that a command runs in.
type ChatRef struct {
	Dir    string // working directory of the command
	Prefix string // a chat's id, the beginning of it, or its name; "" for the chat last used in the repository
}

// CreateRequest is a chat to be made without a prompt.
type CreateRequest struct {
	Dir     string    // working directory of the command
	Name    string    // see [ParseChatName]
	Agent   AgentName // takes the prompts that name none; "" for the default
	Model   string    // of Agent; "" for the agent's own
	Base    string    // as in [SendRequest]
	Sparse  []string  // as in [SendRequest]
	Environ []string  // as in [SendRequest]
}

// ChatsRequest says which chats to list: those of the repository that Dir is in,
// without those that were removed, or all.
type ChatsRequest struct {
	Dir string
	All bool
	// Brief leaves out what people are not shown in a list: of a chat there is id,
	// name, title, state, last use, turns, pending changes, agents and last state
	// only.
	Brief bool
}

// SendRequest is a prompt and where it goes.
type SendRequest struct {
	Ref    ChatRef
	New    bool      // a new chat, even if there is one
	Agent  AgentName // "" for the chat's last agent, or the default
	Model  string
	Mode   string   // of the agent, in its words; "" for what its definition says
	Base   string   // revision that a new chat starts from; "" for HEAD
	Sparse []string // directories that a new chat's worktree is limited to; none for what the project or the checkout is limited to
	Prompt string
	// More are prompts that come after it, each as a turn of its own: all are on
	// disk, or none.
	More []string
	// Once says that a new chat is for this prompt alone.
	Once bool
	// Attended says that a person is there who can answer permission requests.
	Attended bool
	// Environ is the person's environment, "NAME=value", from which the agent
	// gets what its definition allows; nil for that of the engine's process. It
	// may hold secrets: it is neither stored nor logged.
	Environ []string
	// Permissions says who answers permission requests of this turn; "" for the
	// configured mode, or else ask if Attended, and reject if not.
	Permissions PermissionMode
	// Limits bound this turn, in place of the configured ones where they are set.
	Limits Limits
	// Key makes the prompt known again: the same key with the same prompt is
	// answered with the turn that it has, in the chat that Ref names or else in
	// the repository, and not sent a second time; with another prompt it is
	// CodeInvalid. "" for none.
	Key string
	// Retry is the turn whose prompt is sent once more, to the same agent unless
	// Agent names another; Prompt is "" then. Force allows it where that turn was
	// completed.
	Retry TurnID
	Force bool
	// ResumeHalted goes on after the chat's last turn, which must have ended
	// otherwise than completed; without a Prompt in boo's own words.
	ResumeHalted bool
	// Try only finds out what is refused before anything is stored; the prompt may
	// be missing still. Of [Sent] it has the agent, or all where Key has its turn.
	Try bool
}

// Sent says where a prompt went.
type Sent struct {
	Chat    ChatID
	Turn    TurnID
	Agent   AgentName
	NewChat bool
	More    []TurnID    // of the further prompts, in their order
	Ahead   []Turn      // turns of the chat that come first
	Dir     WorktreeDir // the chat's worktree
	// Repeated says that the turn was there before, by the request's key.
	Repeated bool
}

// ChatDetail is everything about one chat.
type ChatDetail struct {
	ChatSummary
	Repo     Repo
	TurnList []Turn
	Sessions []Session
}

// ChangeSelector selects pending changes from the place a command runs in.
type ChangeSelector struct {
	Dir  string
	Chat string // prefix of a chat id; "" for the chat last used
	All  bool   // of every chat of the repository
	// Args are paths relative to Dir, directories among them, or change ids
	// and prefixes of them; none selects everything.
	Args []string
}

// Recovery is one thing that Recover settled.
type Recovery struct {
	Chat    ChatID
	Turn    TurnID
	Message string
}
