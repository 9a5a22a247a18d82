package orchestrator

import "time"

// Repo is a repository that boo has been used in.
type Repo struct {
	ID        RepoID
	CommonDir GitDir      // identity: the real path of the common git directory
	Root      CheckoutDir // the main checkout, for people to read
	CreatedAt time.Time
}

// Checkout is the place a command runs in: one work tree of a repository.
type Checkout struct {
	Dir       CheckoutDir // top of the work tree
	GitDir    GitDir      // its own git directory; equals CommonDir in the main work tree
	CommonDir GitDir
	Prefix    Path     // where in it the command stands; "" at the top
	Head      ObjectID // commit of HEAD; "" when the repository has no commit yet
}

// Signature says who made a commit and when.
type Signature struct {
	Name  string
	Email string
	When  time.Time
}

// Worktree is a chat's own linked git worktree.
type Worktree struct {
	Chat      ChatID
	Repo      RepoID
	CommonDir GitDir
	Dir       WorktreeDir
	Base      ObjectID // commit it was created from; never changes
	Baseline  ObjectID // synthetic commit that pending changes are measured against
	State     WorktreeState
	Reason    string // why it is held, or how it was lost
	CreatedAt time.Time
	Source    CheckoutDir // the checkout that it was asked for in; "" if that is not known
	Port      int         // the first of ten that are its own; given by the store, 0 if there was none left
	Setup     string      // digest of the setup commands that it has had; "" before
	Sparse    []string    // directories that it has files of; none for all
	Identity  string      // of its directory, which tells it from another at the same place; "" if nobody has looked
}

// WorktreeState is where a worktree is in its life; see the package comment.
type WorktreeState string

// The states of a worktree.
const (
	WorktreeCreating WorktreeState = "creating"
	WorktreeActive   WorktreeState = "active"
	WorktreeClosing  WorktreeState = "closing"
	WorktreeLost     WorktreeState = "lost"
	WorktreeArchived WorktreeState = "archived"
	WorktreePurged   WorktreeState = "purged"
)

// Snapshot is a commit of a whole worktree in the chat's private chain.
type Snapshot struct {
	Commit  ObjectID
	Tree    ObjectID
	Parent  ObjectID
	Skipped []SkippedPath // left out, each with its reason; never silent
	// Verified is false for the answer of a watcher that was not compared with
	// the tree yet; see [TreeWatch].
	Verified bool
	// AsBase is true where the tree is known to be that of the worktree's base, and
	// the snapshot is the first.
	AsBase bool
}

// SkippedPath is one path that a snapshot had to leave out.
type SkippedPath struct {
	Path   Path   `json:"path"`
	Reason string `json:"reason"`
}
