package orchestrator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Checking is the part of [Service] that judges changes before they are applied.
type Checking interface {
	// Check runs checks on exactly the tree that an apply of the selected changes
	// of one chat would leave: the checkout that sel.Dir is in, as it is now, with
	// the changes. They run in a worktree of their own, which is gone when it
	// returns. How they ended is stored with the changes; CodeCommand if one is
	// red, with the result. CodeConflict as with Apply, CodeDenied if the checks
	// of the project file are not approved.
	Check(ctx context.Context, sel ChangeSelector, opts ApplyOptions) (ApplyResult, error)
}

// CheckMode says whether changes are checked before they are applied.
type CheckMode string

// The modes.
const (
	CheckAsConfigured CheckMode = ""         // if the project file requires it
	CheckRequired     CheckMode = "required" // by the checks of the project file
	CheckSkipped      CheckMode = "skipped"  // whatever the project file says
)

// CheckOptions say how changes are checked.
type CheckOptions struct {
	Mode CheckMode
	// Commands are checks that the person typed, besides those of Mode. They need
	// no approval.
	Commands []string
	// Anew runs those, too, of which it is known how they end on the tree.
	Anew bool
	// Environ is the person's environment, of which checks get what is harmless
	// and what the project file names; nil for that of the engine's process. It is
	// neither stored nor logged.
	Environ []string

	// Began and Ended are told each check, and Output what it writes, both streams,
	// piece by piece; each may be nil. Nothing of it comes through a connection.
	Began  func(Check)        `json:"-"`
	Output func(piece []byte) `json:"-"`
	Ended  func(CheckResult)  `json:"-"`
}

// CheckResult is how a check ended on a tree.
type CheckResult struct {
	Name    string `json:"name"`
	Command string `json:"command"`
	Digest  string `json:"digest"` // SHA-256 of name, command, and the variables that it is let see
	// Under is the tree that the changes were laid over, Tree what came of it.
	Under    ObjectID      `json:"under"`
	Tree     ObjectID      `json:"tree"`
	Exit     int           `json:"exit"` // -1 where a signal ended it
	TimedOut bool          `json:"timed_out,omitempty"`
	Took     time.Duration `json:"took_ns"`
	At       time.Time     `json:"at"` // when it ended
	Tail     string        `json:"tail"`
	Known    bool          `json:"known,omitempty"` // it was not run now, but before, on the same tree
	// Stale is set when an apply would leave another tree than Tree now.
	Stale bool `json:"stale,omitempty"`
}

// OK reports whether the check passed.
func (r CheckResult) OK() bool { return r.Exit == 0 && !r.TimedOut }

// digest names a check by all that makes it what it is.
func (c Check) digest(envPass []string) string {
	text, err := json.Marshal([]any{c.Name, c.Command, envPass})
	if err != nil {
		return "" // strings always marshal
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// CheckStore keeps how checks ended.
type CheckStore interface {
	// PutCheck stores how a check ended with the changes that it was about, in
	// place of how it ended before on the same tree.
	PutCheck(ctx context.Context, repo RepoID, r CheckResult, changes []ChangeID) error
	// KnownCheck says how a check ended on a tree; CodeNotFound if it did not.
	KnownCheck(ctx context.Context, repo RepoID, tree ObjectID, digest string) (CheckResult, error)
	// CheckedChanges lists the newest result of each check for the pending changes
	// of a repository, or of all if repo is "". A result is stale of which not
	// every change is pending any more. It is cheap where nothing was checked.
	CheckedChanges(ctx context.Context, repo RepoID) (map[ChangeID][]CheckResult, error)
}

// TreeScratches makes worktrees for a moment.
type TreeScratches interface {
	// Files returns the tree of a checkout's files as they are now, and what had
	// to be left out of it. Ignored files are not part of it.
	Files(ctx context.Context, c Checkout) (tree ObjectID, skipped []SkippedPath, err error)
	// MakeScratch makes a worktree of the checkout's repository that has a tree,
	// committed on the checkout's HEAD, and is called by name; no chat has it. On
	// error nothing is left.
	MakeScratch(ctx context.Context, c Checkout, name ChatID, tree ObjectID) (Worktree, error)
	// DropScratch removes one, whatever state it is in.
	DropScratch(ctx context.Context, wt Worktree) error
	// Scratches lists those that are there, whoever made them.
	Scratches(ctx context.Context) ([]Worktree, error)
}
