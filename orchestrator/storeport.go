package orchestrator

import "context"

// Store is the truth: whatever is not in it did not happen. Package store
// implements it. Methods may be called concurrently, also by several boo
// processes. A method that returns nil has its effect on disk, unless its comment
// says that it does not wait for that, and one that returns an error has had none. Methods that do not find what they are asked
// for return CodeNotFound; a full disk is CodeFull.
type Store interface {
	ChatStore
	TurnStore
	EventStore
	SessionStore
	PermissionStore
	ChangeStore
	ApprovalStore
	CheckStore
	CheckpointStore
	SpareStore
	UsageStore
	ClosingStore
	SizeStore
	Close() error
}

// ChatStore keeps repositories, chats and the rows of their worktrees.
type ChatStore interface {
	// PutRepo stores r, or returns the row that already has its CommonDir.
	PutRepo(ctx context.Context, r Repo) (Repo, error)
	Repo(ctx context.Context, id RepoID) (Repo, error)
	RepoByDir(ctx context.Context, common GitDir) (Repo, error)
	// MoveRepo stores that a repository is now at another place, with all that
	// is recorded of its worktrees and applies there. CodeConflict if it is not
	// where r says any more.
	MoveRepo(ctx context.Context, r Repo, to GitDir, root CheckoutDir) error
	Chat(ctx context.Context, id ChatID) (Chat, error)
	// CreateChat stores a chat without a prompt, with its worktree row, in one
	// transaction. CodeConflict if its name is taken, or if it was to take a spare
	// that is not ready any more.
	CreateChat(ctx context.Context, c NewChat) error
	// Chats lists chats, the last used first.
	Chats(ctx context.Context, q ChatQuery) ([]ChatSummary, error)
	Worktree(ctx context.Context, chat ChatID) (Worktree, error)
	// SetSetup stores the digest of the setup that a worktree has had.
	SetSetup(ctx context.Context, chat ChatID, digest string) error
	// SetIdentity stores which directory a worktree is, "" if that is not known.
	// Should the machine lose its power, it may be as before.
	SetIdentity(ctx context.Context, chat ChatID, identity string) error
	// MoveWorktree sets the state if it is one of from, else CodeBusy.
	MoveWorktree(ctx context.Context, chat ChatID, from []WorktreeState, to WorktreeState, reason string) error
}

// ChatQuery selects chats. Zero fields select everything.
type ChatQuery struct {
	Repo   RepoID
	Called string // the beginning of the id, or the name
	Shown  bool   // without those that were removed
	Brief  bool   // see [ChatsRequest]
	Limit  int
}

// ChatSummary is a chat as a list shows it.
type ChatSummary struct {
	Chat
	RepoRoot  CheckoutDir
	Worktree  Worktree
	Turns     int
	Pending   int
	Agents    []AgentName // in the order of their first turn
	LastState TurnState   // of the newest turn; "" if there is none
}

// TurnStore keeps turns. Every method that moves a turn appends the turn event
// in the same transaction and returns what it appended.
type TurnStore interface {
	// Enqueue stores a prompt: the turn in state queued, its prompt event and,
	// if newChat is not nil, the chat with its worktree row, all in one
	// transaction, and more turns after it likewise. It gives the turn its number,
	// and the others those that follow, and opens a chat that was closed or
	// removed. CodeConflict if the chat was to take a spare that is not ready any
	// more, or the turn's key is taken: in its chat, or for a new chat in its
	// repository; CodeBusy while it is being closed.
	Enqueue(ctx context.Context, t Turn, newChat *NewChat, more ...Turn) (Turn, error)
	Turn(ctx context.Context, id TurnID) (Turn, error)
	// TurnByKey finds the turn that was sent with a key: in a chat, or, if chat
	// is "", the newest one in a repository.
	TurnByKey(ctx context.Context, repo RepoID, chat ChatID, key string) (Turn, error)
	// Turns lists a chat's turns by number: what it costs grows with the chat.
	Turns(ctx context.Context, chat ChatID) ([]Turn, error)
	// TurnsBetween lists those with numbers above after and below before.
	TurnsBetween(ctx context.Context, chat ChatID, after, before int64) ([]Turn, error)
	// LastTurn returns the newest turn that q selects, else CodeNotFound.
	LastTurn(ctx context.Context, q TurnQuery) (Turn, error)
	// SessionCost adds up what the turns that q selects have cost, from the last
	// on that began a new session of its agent.
	SessionCost(ctx context.Context, q TurnQuery) (float64, error)
	// OpenTurns lists the turns of all chats that are not terminal, in the
	// order of chat and number.
	OpenTurns(ctx context.Context) ([]Turn, error)
	// MoveTurn takes a turn to a state that is not terminal. CodeBusy if the
	// turn is not in a state that may become it. It waits for the disk only where
	// the turn is running from then on.
	MoveTurn(ctx context.Context, id TurnID, to TurnState, reason string) ([]Event, error)
	// SetBefore stores the snapshot before the turn, and the person's share,
	// without waiting for the disk.
	SetBefore(ctx context.Context, id TurnID, before ObjectID, delta ChangeDelta) error
	// EndTurn stores everything that a turn's end changes in one transaction:
	// terminal state, snapshot, usage (also added to the session's lifetime),
	// the pending set, the summary event and the turn event; requests for
	// permission that are still open are closed as cancelled. CodeBusy if the
	// turn is terminal already; CodeConflict if the baseline has moved since
	// delta was computed.
	EndTurn(ctx context.Context, end TurnEnd) ([]Event, error)
	// ProvisionalTurns lists the turns, of one repository or chat unless these
	// are "", whose share is not confirmed.
	ProvisionalTurns(ctx context.Context, repo RepoID, chat ChatID) ([]Turn, error)
	// ConfirmTurn makes a provisional turn a settled one, in one transaction.
	// CodeBusy if it is not provisional, CodeConflict as with EndTurn.
	ConfirmTurn(ctx context.Context, c TurnConfirmation) ([]Event, error)
}

// TurnQuery selects turns of a chat. Zero fields select everything.
type TurnQuery struct {
	Chat   ChatID
	After  int64 // numbers above
	Before int64 // numbers below; 0 for no bound
	Agents []AgentName
	Begun  bool // those that have a snapshot before
	State  TurnState
}

// NewChat is what the first prompt of a chat creates.
type NewChat struct {
	Chat     Chat
	Worktree Worktree
	Notices  []string // stored as events after the prompt
	Spare    bool     // the chat takes the spare of its id, which must be ready
}

// TurnEnd is the end of a turn.
type TurnEnd struct {
	Turn    TurnID
	State   TurnState
	Reason  string
	Hint    string
	Stop    string
	After   ObjectID // "" when there was no worktree to snapshot
	Rung    Rung
	Usage   Usage
	Calls   int
	Delta   ChangeDelta
	Summary TurnSummary
	// Provisional says that After and Delta are to be confirmed.
	Provisional bool
	// Checkpoint is how the session stands now, without what the store fills in:
	// session, step, high-water mark, time and digest; nil where the agent was
	// not reached.
	Checkpoint *Checkpoint
	// Note is what the agent is to be told at its next turn; "" for nothing.
	Note string
}

// TurnConfirmation is what became of a turn whose share was provisional.
type TurnConfirmation struct {
	Turn   TurnID
	After  ObjectID
	Delta  ChangeDelta // corrects the pending set; without a chat it stays
	Notice string      // what was wrong; "" when nothing was
}

// EventStore keeps the events of chats.
type EventStore interface {
	// AppendEvents numbers and stores events of one chat in one transaction,
	// without waiting for the disk, and returns them with Seq set.
	AppendEvents(ctx context.Context, chat ChatID, events []Event) ([]Event, error)
	// AppendTold is AppendEvents for what an agent told in a session. CodeConflict,
	// and nothing is stored, if that was reset since s was read, or if steps, which
	// are stored with them, do not follow on the session's newest checkpoint.
	AppendTold(ctx context.Context, s Session, events []Event, steps []Step) ([]Event, error)
	// Events lists a chat's events after a number, in order, at most limit.
	Events(ctx context.Context, chat ChatID, turn TurnID, after Seq, limit int) ([]Event, error)
	// LastUsage returns what a turn had cost by the last event that tells of it;
	// zero if there is none.
	LastUsage(ctx context.Context, turn TurnID) (Usage, error)
	// LeftOut tells what the newest turns of chats say that snapshots left out.
	LeftOut(ctx context.Context, chats []ChatID) (map[ChatID][]SkippedPath, error)
}

// SessionStore keeps agent sessions and the processes that boo started.
type SessionStore interface {
	// Session returns the zero session in state none if there is no row.
	Session(ctx context.Context, chat ChatID, agent AgentName) (Session, error)
	Sessions(ctx context.Context, chat ChatID) ([]Session, error)
	// SessionStates counts the sessions of all chats by state.
	SessionStates(ctx context.Context) (map[SessionState]int, error)
	// MoveSession sets the state, and the error unless it is "", if the state
	// is one of from and s is of the row's generation. That it is not is no error:
	// moved says whether it was. It does not wait for the disk, nor does
	// PutSession.
	MoveSession(ctx context.Context, s Session, from []SessionState, to SessionState, lastErr string) (moved bool, err error)
	// EvictSessions sets every session that is on record as live, in chats without
	// an open turn, to evicted.
	EvictSessions(ctx context.Context) error
	// PutSession stores all of s but its lifetime usage and what a reset sets.
	// CodeConflict if it was reset since s was read.
	PutSession(ctx context.Context, s Session) error
	PutProcess(ctx context.Context, p Process) error
	DeleteProcess(ctx context.Context, p Process) error
	Processes(ctx context.Context) ([]Process, error)

	// Unsettled tells of what something is on record that a boo which died may
	// have left. It costs little, and next to nothing where there is none.
	Unsettled(ctx context.Context) (Unsettled, error)
}

// Unsettled says what is on record; who it is of may be alive.
type Unsettled struct {
	Applies   bool // applies and rejects of which something may be left
	Turns     bool // turns that are not terminal
	Processes bool // of agents
	Closings  bool // chats that are being closed
}

// PermissionStore keeps open requests for permission, and the answers that were
// given for good. Requests that are answered live on in the events.
type PermissionStore interface {
	// AskPermission stores a request: as open, or, if it has an outcome already,
	// only its event. It is on disk on return.
	AskPermission(ctx context.Context, p OpenPermission) error
	// DecidePermission closes an open request with the outcome that p has, and
	// keeps rule unless it is nil; on disk on return. CodeNotFound if the request
	// is not open any more: it is decided exactly once.
	DecidePermission(ctx context.Context, p OpenPermission, rule *StandingRule) error
	// OpenPermissions lists the open requests of a chat, or of all if chat is
	// "", the oldest first.
	OpenPermissions(ctx context.Context, chat ChatID) ([]OpenPermission, error)
	// StandingRules lists what was answered for good in a chat, to an agent.
	StandingRules(ctx context.Context, chat ChatID, agent AgentName) ([]StandingRule, error)
}

// ChangeStore keeps pending changes.
type ChangeStore interface {
	// Changes lists changes by chat and path.
	Changes(ctx context.Context, q ChangeQuery) ([]Change, error)
	// StoreDelta stores a delta by itself; CodeConflict as with EndTurn.
	StoreDelta(ctx context.Context, delta ChangeDelta) error
	// Notes lists what an agent is to be told at its next turn in a chat.
	Notes(ctx context.Context, chat ChatID, agent AgentName) ([]Note, error)
	// DropNotes forgets notes: the agent has been told.
	DropNotes(ctx context.Context, ids []int64) error
}

// ChangeQuery selects changes. Zero fields select everything.
type ChangeQuery struct {
	Repo   RepoID
	Chat   ChatID
	States []ChangeState
	Prefix string // of the id
}
