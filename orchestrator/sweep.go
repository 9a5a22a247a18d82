package orchestrator

import (
	"context"
	"time"
)

// SweepAction is what the reaper does with one thing.
type SweepAction string

// The actions.
const (
	SweepSettle  SweepAction = "settle"  // what a boo that died left was finished or taken back
	SweepArchive SweepAction = "archive" // a worktree left the disk
	SweepHold    SweepAction = "hold"    // kept, though its time has come
	SweepLose    SweepAction = "lost"    // its directory is gone by another hand
	SweepClear   SweepAction = "clear"   // what nobody owns, and holds no work, was removed
	SweepPurge   SweepAction = "purge"   // an archive ended: it cannot be brought back
	SweepFail    SweepAction = "fail"    // it could not be done; nothing was removed
)

// SweepStep is one decision of the reaper, as its log keeps it. Fields of its
// JSON form are added over time, never renamed or removed.
type SweepStep struct {
	Sweep  int64       `json:"sweep"`
	At     time.Time   `json:"at"`
	Action SweepAction `json:"action"`
	Chat   ChatID      `json:"chat,omitempty"`
	Path   string      `json:"path,omitempty"`
	Reason string      `json:"reason"`
	Freed  int64       `json:"freed_bytes,omitempty"`
}

// Sweep is one pass of the reaper over everything that boo has made.
type Sweep struct {
	ID      int64               `json:"id,omitempty"` // 0 of a dry run, which is not on record
	Started time.Time           `json:"started_at"`
	Ended   time.Time           `json:"ended_at,omitzero"` // zero while it runs, or if it was cut off
	DryRun  bool                `json:"dry_run,omitempty"` // it says what would be done
	Counts  map[SweepAction]int `json:"counts"`
	Freed   int64               `json:"freed_bytes"`
	Error   string              `json:"error,omitempty"`
	Steps   []SweepStep         `json:"steps,omitempty"`
}

// SweepRequest says how to sweep.
type SweepRequest struct {
	// DryRun changes nothing and tells what would be done.
	DryRun bool
	// All has also those judged again that were found to be at risk lately.
	All bool
	// Next is when whoever asks will ask again, to be told to people; zero if
	// that is not known.
	Next time.Time
}

// Hold is something that the reaper keeps though its time has come. Fields of
// its JSON form are added over time, never renamed or removed.
type Hold struct {
	Name    string    `json:"name"` // of the chat, or of a directory that no chat owns
	Path    string    `json:"path"`
	Since   time.Time `json:"since"`
	Checked time.Time `json:"checked_at"`
	Next    time.Time `json:"next_check_at"`
	Checks  int       `json:"checks"`
	Risks   []Risk    `json:"risks"`
}

// ReaperStatus is what the reaper did last, and what it holds.
type ReaperStatus struct {
	Last     *Sweep    `json:"last_sweep,omitempty"` // nil before the first
	Next     time.Time `json:"next_sweep_at,omitzero"`
	Held     []Hold    `json:"held"`
	Archived int       `json:"archived"`    // worktrees, by all sweeps on record
	Freed    int64     `json:"freed_bytes"` // by all sweeps on record
}

// SweepChat is a chat as the reaper sees it.
type SweepChat struct {
	Worktree Worktree
	State    ChatState
	UsedAt   time.Time
	ClosedAt time.Time // zero while it is open
	// ArchivedAt is when its worktree left the disk.
	ArchivedAt time.Time
	Pending    int  // changes that were neither applied nor rejected
	Busy       bool // a turn runs or waits
}

// ClockReading is what a clock said, and how far that can be trusted.
type ClockReading struct {
	Boot   string        // of the machine
	Up     time.Duration // since then, by a clock that nobody sets
	Wall   time.Time
	Steady time.Time // since when the wall clock has gone steadily, by itself
}

// Keeper does for the reaper what has to be done under the chats' locks, by the
// rules of the engine.
type Keeper interface {
	// Settle settles what boos that died have left.
	Settle(ctx context.Context) ([]Recovery, error)
	// Judge takes the verdict on worktrees of one repository. A chat that
	// somebody works in is at risk.
	Judge(ctx context.Context, wts []Worktree) ([]RiskVerdict, error)
	// Retire archives the worktree of a chat if still, which is called under the
	// chat's lock, agrees, and if nothing is at risk then: CodeAtRisk,
	// CodeUnverified, CodeBusy.
	Retire(ctx context.Context, chat ChatID, still func(Worktree) error) (Archived, error)
	// Locked calls do under a chat's lock; free is false if somebody has that.
	Locked(chat ChatID, do func() error) (free bool, err error)
	// Clear removes from the disk what was archived, and returns how many bytes
	// that freed.
	Clear(ctx context.Context) int64
}

// Reaper sweeps. Package reaper implements it.
type Reaper interface {
	Sweep(ctx context.Context, keeper Keeper, req SweepRequest) (Sweep, error)
	Status(ctx context.Context) (ReaperStatus, error)
	// Log lists the newest decisions, at most limit, the oldest first; those
	// about one chat unless chat is "".
	Log(ctx context.Context, chat ChatID, limit int) ([]SweepStep, error)
}

// Reaping is what people ask of the reaper.
type Reaping interface {
	// Sweep sweeps once. CodeBusy if another sweep is under way.
	Sweep(ctx context.Context, req SweepRequest) (Sweep, error)
	// ReaperStatus tells what the reaper did last, and what it holds.
	ReaperStatus(ctx context.Context) (ReaperStatus, error)
	// ReaperLog lists the newest decisions, at most limit, the oldest first;
	// those about one chat if ref names one.
	ReaperLog(ctx context.Context, ref ChatRef, limit int) ([]SweepStep, error)
}
