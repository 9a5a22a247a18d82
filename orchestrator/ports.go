package orchestrator

import (
	"context"
	"io"
	"time"
)

// Trees makes, watches over and records worktrees. Package worktree
// implements it. Methods may be called concurrently; two calls for the same
// worktree are serialised by the chat's lock, which the caller holds.
type Trees interface {
	TreeReviews
	TreeRisks
	TreeScratches

	// Checkout finds the work tree that dir is in. Errors: CodeNotFound outside
	// of any repository, CodeInvalid in a bare one.
	Checkout(ctx context.Context, dir string) (Checkout, error)

	// HeadMoved returns nil once HEAD of the work tree that dir is in is at another
	// commit than from, at once if it is so already. An error says that it cannot be
	// followed any further; ctx ends it, too.
	HeadMoved(ctx context.Context, dir string, from ObjectID) error

	// Base finds or makes the commit that a new chat starts from. What was made
	// or fetched for it stays until Create has held it. In a repository without
	// commits it is an empty root commit of boo's own. On error nothing is left.
	Base(ctx context.Context, c Checkout, req BaseRequest) (Base, error)

	// Create makes wt, detached at its base and locked with a reason that names
	// the chat, and holds the base and the baseline by refs. Whatever a broken
	// earlier attempt for the same chat left behind is cleared away first. On
	// error nothing is left. Where a spare was made for the chat it becomes wt, if
	// nobody has touched it.
	Create(ctx context.Context, wt Worktree) error

	// Spare makes wt, which is no chat's yet, ready for Create to take over within
	// milliseconds, or takes one that is there to another base. It lets everything
	// else go first. CodeFull where there is no room for one. On error something
	// may be left, for Discard.
	Spare(ctx context.Context, wt Worktree) error

	// Discard clears a spare away. CodeAtRisk if it holds snapshots.
	Discard(ctx context.Context, wt Worktree) error

	// Furnish gives a worktree what its base does not hold and work in it needs.
	// What cannot be had is told in the warnings; an error is ctx's. It may be
	// called again.
	Furnish(ctx context.Context, wt Worktree, req FurnishRequest) (warnings []string, err error)

	// Verify reports nil if wt stands at its place and belongs to its chat.
	Verify(ctx context.Context, wt Worktree) error

	// Restore makes a worktree again whose directory is gone, at the same
	// place: the files of its newest snapshot, HEAD where it was. CodeConflict
	// if something stands there.
	Restore(ctx context.Context, wt Worktree) error

	// Repair brings wt back to its place and its repository, whatever became of
	// either, and tells in words for people what had to be done. CodeConflict
	// if something else stands in its place: nothing is changed then.
	// CodeNotFound if the repository is gone.
	Repair(ctx context.Context, wt Worktree) (done []string, err error)

	// Identity tells the directory of a worktree from any other that ever stands at
	// its place, or elsewhere on that machine. It stays when that is moved.
	Identity(wt Worktree) (string, error)

	// Oddities tells, in words for people, how a worktree is other than boo
	// left it, beside its files. What was told before is not told again.
	Oddities(ctx context.Context, wt Worktree) []string

	// Chats lists the chats that a repository holds refs of; none if there is
	// no repository any more.
	Chats(ctx context.Context, common GitDir) ([]ChatID, error)

	// LeftToGit tells how many snapshots of wt were slower than they might be, and
	// why: a small read.
	LeftToGit(wt Worktree) LeftToGit

	// Usage measures what a worktree and its snapshots take: a look at each file.
	Usage(ctx context.Context, wt Worktree) (TreeUsage, error)

	// Weigh is Usage behind everything else on the machine.
	Weigh(ctx context.Context, wt Worktree) (TreeUsage, error)

	// Maintain keeps small what boo stores in a repository. It is cheap when
	// there is nothing to do, and may be cut off at any point. One call at a time
	// per repository.
	Maintain(ctx context.Context, common GitDir) error

	// Snapshot commits the whole worktree onto the chat's chain and moves
	// refs/boo/chats/<chat>/head. When it returns, objects and ref are on disk.
	// Neither index nor HEAD of the worktree is touched.
	Snapshot(ctx context.Context, wt Worktree, by Signature, message string) (Snapshot, error)

	// SnapshotChanges is Snapshot where the worktree differs from the newest
	// snapshot, and returns that one, having written nothing, where it does not.
	// A signature without a name is the person's, as their own commits carry it.
	SnapshotChanges(ctx context.Context, wt Worktree, by Signature, message string) (Snapshot, error)

	// Watch watches a worktree from the newest snapshot on, so that the next one
	// is found fast. It returns at once and never fails: where a worktree cannot
	// be watched, the watch takes plain snapshots. The caller closes it.
	Watch(ctx context.Context, wt Worktree) TreeWatch

	// Newest returns the newest snapshot of the chat; its Commit is "" if there
	// is none yet.
	Newest(ctx context.Context, wt Worktree) (Snapshot, error)

	// Diff lists the paths that differ between two commits or trees, by path.
	Diff(ctx context.Context, common GitDir, from, to ObjectID) ([]FileChange, error)

	// WritePatch writes the difference as a git patch that git apply accepts,
	// limited to paths unless there are none.
	WritePatch(ctx context.Context, w io.Writer, common GitDir, from, to ObjectID, paths []Path) error
}

// TreeWatch knows what changes in a worktree. One goroutine at a time uses it,
// which holds the chat's lock in all methods but Close.
type TreeWatch interface {
	// Snapshot records the worktree, at a cost that follows the changes. Its
	// result is Verified, and all that [Trees.Snapshot] promises, or else an
	// answer in advance: its objects can be read, but the chain does not have it
	// before Keep or Confirm; should boo end before, it is forgotten.
	Snapshot(ctx context.Context, by Signature, message string) (Snapshot, error)

	// SnapshotChanges is [Trees.SnapshotChanges] by what was seen alone, and as
	// durable, but not Verified. Where that does not suffice it fails; the watch
	// then is of no more use, and nothing was written.
	SnapshotChanges(ctx context.Context, by Signature, message string) (Snapshot, error)

	// Keep puts the answer in advance on the chain, on disk. Where there is none
	// it does nothing.
	Keep(ctx context.Context) error

	// Confirm compares the worktree with the snapshot that was not verified, and
	// returns that one where it is right, and else another one in its place.
	// Then the chain has it, on disk. What was touched since that snapshot is left
	// as it has it, and is found by the next one; where the watch cannot tell what
	// that is, the snapshot stands.
	Confirm(ctx context.Context, by Signature, message string) (Snapshot, error)

	// Rest gives up what a watch does not need between turns. It watches on, in
	// as many directories as it returns, but holds nothing open in the worktree.
	Rest(ctx context.Context) (dirs int)

	// Close ends the watch. Nothing of it runs when it returns.
	Close() error
}

// Agents starts agent sessions. Package backends implements it.
type Agents interface {
	// Check reports nil if the agent is known and can be started, before
	// anything is made for it. environ is the person's environment, nil for
	// this process's own. Errors: CodeNotFound, CodeAgent, each with the
	// command that mends it.
	Check(ctx context.Context, name AgentName, environ []string) error

	// Start brings a session about: it takes the one that is warm, or starts
	// the agent under supervision, and resumes req.NativeID where it is known,
	// or else opens a new session. On error no process of the session is left.
	Start(ctx context.Context, req SessionRequest) (AgentSession, error)

	// Kin lists the other agents that keep their sessions in the same store:
	// the one can bring back what the other began.
	Kin(name AgentName) []AgentName

	// Evict closes the warm session of an agent in a chat, of all its agents if
	// agent is "". A session whose turn runs is left alone and closed at its
	// release. None being there is no error.
	Evict(ctx context.Context, chat ChatID, agent AgentName) error

	// Forget has an agent delete a session, which is not warm, from its own store.
	// deleted is false if it cannot be asked to; one that it does not know is
	// deleted.
	Forget(ctx context.Context, req ForgetRequest) (deleted bool, err error)

	// Live lists the processes that are there for sessions, warm ones included.
	Live() []LiveAgent

	// Close closes every warm session and returns when its processes are gone.
	// A session that is released later is closed too.
	Close(ctx context.Context) error
}

// ForgetRequest says which session an agent is to delete.
type ForgetRequest struct {
	Chat     ChatID
	Agent    AgentName
	NativeID string
	Dir      WorktreeDir // that it was in; need not be there
	Caps     []byte      // what the agent advertised when it was last started; nil if that is not known
	Environ  []string    // as in [SessionRequest]
}

// SessionRequest says which session is wanted and how.
type SessionRequest struct {
	Chat     ChatID
	Turn     TurnID
	Agent    AgentName
	Model    string // "" leaves the choice to the agent
	Mode     string // of the session, in the agent's words; "" for the definition's
	Dir      WorktreeDir
	NativeID string    // session to bring back; "" for a new one
	Had      bool      // the agent has completed a turn in it: a replay of none is a failed load
	Used     time.Time // when the session was last used; zero if that is not known
	// Last is the turn that the agent took in this chat before this one. A warm
	// session that did not take it has missed something, and is not used.
	Last TurnID
	// Charged tells what the turns of NativeID have cost by the record. It is asked
	// where that session is brought back; nil is nothing.
	Charged func(ctx context.Context) (float64, error)
	// Environ is the person's environment, nil for this process's own. It may
	// hold secrets: it is neither stored nor logged.
	Environ []string

	// Permit answers the agent's requests; it returns an option's id, or
	// "cancelled". It is called once per request and may block.
	Permit func(ctx context.Context, p Permission) (string, error)
	// Started is told each process right after it was started, and Gone when
	// nothing is left of its tree, also long after the turn. Both return before
	// the call that started or ended the process does.
	Started func(Process)
	Gone    func(Process)
	// Notice is told what a person who waits for the start should know.
	Notice func(text string)
	// Ended is told once, if the session was released, that it is not warm any
	// more: err is nil if it was put away, else how its process came to end. A
	// later Start takes that duty from it.
	Ended func(err error)
}

// AgentSession is a live agent holding one session. It takes one prompt at a
// time; Stop and Close may be called at any moment from another goroutine.
type AgentSession interface {
	// Info tells how the session came to be. Rung is RungWarm, RungResumed or
	// RungNew.
	Info() SessionInfo

	// Prompt sends the blocks as one prompt and returns when the agent has
	// ended the turn. sent is called right before the first byte is written;
	// if it returns an error nothing is sent. Every event that was read before
	// the agent's answer has been passed to sink when Prompt returns. sink may
	// block: the agent is then read no further.
	Prompt(ctx context.Context, blocks []string, sent func() error, sink func(Event)) (TurnResult, error)

	// Stop asks the agent to cancel what it does and, if it has not ended the
	// turn after grace, ends its whole process tree.
	Stop(ctx context.Context, grace time.Duration) error

	// Close ends the session and its process tree. When it returns none of it
	// is alive; of a process that holds other sessions too, only this session
	// has ended.
	Close(ctx context.Context) error

	// Release gives the session back after a turn. It may stay warm, and what
	// the agent left running with it: Start then returns it for the same chat,
	// agent, model, mode, directory and environment. Where nothing is kept warm
	// it is Close, and req.Ended is told before it returns. The session is not
	// used afterwards.
	Release(ctx context.Context) error
}

// TurnResult is how the agent itself ended a turn.
type TurnResult struct {
	Stop  string // end_turn, max_tokens, max_turn_requests, refusal, cancelled
	Usage Usage
}

// Pending keeps the pending set of chats. Package pending implements it.
type Pending interface {
	// Delta computes how the pending set moves when newest becomes the chat's
	// newest snapshot. share is what one contributor did since the snapshot
	// before; by is who and in which turn. Nothing is stored.
	Delta(ctx context.Context, wt Worktree, newest ObjectID, share []FileChange, by Contribution) (ChangeDelta, error)

	// Conflicts tells where the pending changes of chats exclude each other, or
	// the files of a checkout.
	Conflicts(ctx context.Context, req ConflictRequest) ([]Collision, error)

	// Apply writes pending changes into a checkout; all or nothing.
	Apply(ctx context.Context, req ApplyRequest) (ApplyResult, error)

	// Reject takes changes out of the chat's worktree, through a snapshot; all
	// or nothing. The caller holds the chat's lock.
	Reject(ctx context.Context, req RejectRequest) (ApplyResult, error)

	// CatchUp records what nobody has recorded yet in the chat's worktree, as a
	// turn does before it begins, and settles it. The caller holds the chat's
	// lock.
	CatchUp(ctx context.Context, chat ChatID) error

	// Hunks cuts changes of a chat into pieces and says who made each.
	Hunks(ctx context.Context, wt Worktree, changes []Change) ([]ChangeHunks, error)

	// Dangers says of each change that boo would refuse, or only take if it is
	// allowed, why. Nothing is compared with a checkout.
	Dangers(ctx context.Context, wt Worktree, changes []Change) ([]PathConflict, error)

	// Undo takes back the newest apply or reject that was asked for in the
	// checkout and is still in force.
	Undo(ctx context.Context, req UndoRequest) (ApplyResult, error)

	// Settle takes back what is left in the chat's worktree of a reject that
	// was cut off. The caller holds the chat's lock.
	Settle(ctx context.Context, wt Worktree) error

	// Recover finishes or takes back applies that were cut off, and says which.
	Recover(ctx context.Context) ([]ApplyResult, error)

	// Clear removes what applies, undos and rejects of many files have left for
	// afterwards: files that nobody needs any more. It ends with ctx, and the next
	// one goes on; callers may be at it at the same time.
	Clear(ctx context.Context) error
}

// ChangeDelta is a step of a chat's pending set, to be stored in one
// transaction with whatever caused it.
type ChangeDelta struct {
	Chat     ChatID
	Baseline ObjectID // it was computed against this one, and is void if that moved
	Insert   []Change // new rows, state pending
	// Retire lists rows that are pending no more: superseded by a row of Insert,
	// or, with an empty value, because the path is back at its baseline.
	Retire map[ChangeID]ChangeID
}

// ApplyRequest says what to apply and where.
type ApplyRequest struct {
	Worktree Worktree
	Checkout Checkout
	Changes  []Change // pending rows of that chat
	Options  ApplyOptions
	// Outcome asks for the trees in the result.
	Outcome bool
	// Checked, unless it is "", is the tree that has to come of it: CodeConflict,
	// and nothing is written, if another one would.
	Checked ObjectID
}

// RejectRequest says what to reject.
type RejectRequest struct {
	Worktree Worktree
	Origin   CheckoutDir // where it was asked for
	Changes  []Change    // pending rows of that chat
	Options  RejectOptions
}

// UndoRequest says where to undo.
type UndoRequest struct {
	Repo     RepoID
	Checkout Checkout
	// Waiting is called once if a turn runs whose end has to be waited for.
	Waiting func()
}

// ApplyState is where an apply is in its life:
// prepared -> applied -> undone, or prepared -> rolled_back.
type ApplyState string

// The states of an apply.
const (
	ApplyPrepared   ApplyState = "prepared"
	ApplyApplied    ApplyState = "applied"
	ApplyRolledBack ApplyState = "rolled_back"
	ApplyUndone     ApplyState = "undone"
)

// ApplyResult is what an apply or an undo came to.
type ApplyResult struct {
	ID       ApplyID        `json:"id,omitempty"`
	Kind     ApplyKind      `json:"kind,omitempty"`
	Undoing  bool           `json:"undoing,omitempty"` // of what was recovered: it was the undo of one
	Chat     ChatID         `json:"chat"`
	State    ApplyState     `json:"state"`
	Files    []AppliedFile  `json:"files"`
	Conflict []PathConflict `json:"conflicts,omitempty"`
	Checkout CheckoutDir    `json:"checkout"`
	Skipped  []SkippedPath  `json:"skipped,omitempty"`
	// Left are hunks of the selected changes that stay pending, because they
	// are not wholly the asked agent's.
	Left []LeftHunks `json:"left,omitempty"`
	// Ref and Commit say where the changes were committed to.
	Ref    string   `json:"ref,omitempty"`
	Commit ObjectID `json:"commit,omitempty"`
	Staged bool     `json:"staged,omitempty"`
	// Under is the tree that the changes are laid over, and Tree what comes of it:
	// all files of the checkout but the ignored ones, or those of the new branch.
	// They are worked out where the changes are checked.
	Under  ObjectID      `json:"under,omitempty"`
	Tree   ObjectID      `json:"tree,omitempty"`
	Checks []CheckResult `json:"checks,omitempty"`
	// Unchecked is set when the project requires checks, and they were left out.
	Unchecked bool `json:"unchecked,omitempty"`
}

// LeftHunks are the hunks of one path that an apply by agent leaves alone.
type LeftHunks struct {
	Change ChangeID    `json:"change"`
	Path   Path        `json:"path"`
	Hunks  int         `json:"hunks"`
	Agents []AgentName `json:"agents"`
}

// AppliedFile is one path of an apply.
type AppliedFile struct {
	Change ChangeID `json:"change"`
	FileStat
	// Merged is set when the person's file was not at the baseline and their
	// edits and the agent's were brought together.
	Merged bool `json:"merged,omitempty"`
	// Already is set when the checkout had the change before.
	Already bool `json:"already,omitempty"`
	// Part is set when only some hunks of the change were taken.
	Part bool `json:"part,omitempty"`
	// Marked is set when it was written with conflict markers.
	Marked bool `json:"marked,omitempty"`
}

// PathConflict says why one path cannot be applied.
type PathConflict struct {
	Path   Path   `json:"path"`
	Reason string `json:"reason"`
	// Danger is what has to be allowed for the change to be taken after all.
	Danger Danger `json:"danger,omitempty"`
}

// Locks gives locks that hold between processes and end with their owner,
// however it ends. Package daemon implements it.
type Locks interface {
	// Lock waits for the lock. waiting is called once if it is not free.
	Lock(ctx context.Context, name string, waiting func()) (release func(), err error)
	// TryLock returns ok == false at once if somebody holds it.
	TryLock(name string) (release func(), ok bool, err error)
}

// Processes judges and ends processes that boo started. Package proc
// implements it.
type Processes interface {
	// Self identifies the running process.
	Self() Owner
	// Alive reports whether exactly that process still lives.
	Alive(o Owner) bool
	// EndStrays ends what is left of p's process tree: processes that carry its
	// identity or its tag, and no others. It returns when they are gone.
	EndStrays(ctx context.Context, p Process) error
	// Within lists the processes whose working directory is dir or below it, or
	// that have a file open there. Those of other people cannot be looked at, and
	// are not among them.
	Within(dir string) ([]Inhabitant, error)
}
