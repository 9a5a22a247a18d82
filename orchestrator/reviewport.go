package orchestrator

import (
	"context"
	"io"
)

// Reviews is what a person looks at changes by. It is a part of [Service].
type Reviews interface {
	// Review lists changes, each set with the chat that they belong to: what is
	// pending, or what one turn did. Sets without a change are left out.
	Review(ctx context.Context, sel ReviewSelector) ([]ChangeSet, error)

	// WriteDiff writes the given changes of a set as a patch that git apply
	// takes, or with words as git's word diff in its porcelain form.
	WriteDiff(ctx context.Context, w io.Writer, set ChangeSet, changes []Change, words bool) error

	// Blame tells who wrote each line of a file in the chat's newest snapshot.
	// The file is a path relative to ref.Dir, or the id of a pending change.
	Blame(ctx context.Context, ref ChatRef, file string) (BlamedFile, error)

	// Conflicts tells which pending changes of the chats of a repository
	// exclude each other, or the person's files as they are now.
	Conflicts(ctx context.Context, sel ReviewSelector) ([]Collision, error)
}

// ReviewSelector selects changes to look at. Without Chat it is about the chat
// last used, unless All or Everywhere widens it.
type ReviewSelector struct {
	ChangeSelector
	Everywhere bool      // every chat of every repository; paths are from their tops
	Turn       string    // number or id of a turn of the chat, for what that turn did
	Agent      AgentName // only changes that this one had a part in
	Renames    bool      // look for renames
	LeftOut    bool      // say what snapshots left out, also of chats where nothing is pending
	Sizes      bool      // measure the files of changes that are [Change.Bulky]
}

// ChangeSet is changes of one chat: what is pending, or what one turn did.
type ChangeSet struct {
	Chat ChatSummary
	// Last is set for the chat that commands mean which name none.
	Last    bool
	Turn    Turn     // the turn that did it; the zero Turn for what is pending
	From    ObjectID // the changes are of the way from this commit
	To      ObjectID // to this one; "" for the newest snapshot
	Changes []Change // in the order of their paths; those of a turn have no id
	Renames []Rename
	Sizes   map[ObjectID]int64 // bytes
	// Checks is how checks ended that pending changes were part of.
	Checks map[ChangeID][]CheckResult
	// LeftOut is what the snapshot after the newest turn had to leave out.
	LeftOut []SkippedPath
}

// Rename says that a file came to have another name. Both paths have changes
// of their own: a deletion and a creation.
type Rename struct {
	From, To   Path
	Similarity int // of the contents, 50 to 100
	Added      int // lines, of the new file against the old
	Deleted    int
}

// bulkyLines is how many changed lines nobody reads at one sitting.
const bulkyLines = 5000

// Bulky reports whether the change is better summed up than shown.
func (c FileChange) Bulky() bool { return c.Binary || c.Added+c.Deleted > bulkyLines }

// TreeReviews is what looking at changes needs of [Trees].
type TreeReviews interface {
	// Blame says which commit of the chat's chain each line of a file comes
	// from, at one of its snapshots. CodeNotFound if there is no such file.
	Blame(ctx context.Context, wt Worktree, at ObjectID, path Path) ([]BlameRun, error)

	// Head returns the commit of the chat's newest snapshot, "" if there is none
	// yet.
	Head(ctx context.Context, wt Worktree) (ObjectID, error)

	// Renames lists the files that have another name in one commit than in the
	// other.
	Renames(ctx context.Context, common GitDir, from, to ObjectID) ([]Rename, error)

	// WriteWords writes the difference word by word, in the porcelain form of
	// git's --word-diff, limited to paths unless there are none.
	WriteWords(ctx context.Context, w io.Writer, common GitDir, from, to ObjectID, paths []Path) error

	// Sizes returns how many bytes objects have; one that is not there has none.
	Sizes(ctx context.Context, common GitDir, ids []ObjectID) (map[ObjectID]int64, error)
}

// ConflictRequest names what may collide.
type ConflictRequest struct {
	// Checkout is the person's; the zero value leaves it out.
	Checkout Checkout
	Sets     []ConflictSet
}

// ConflictSet is the pending changes of one chat.
type ConflictSet struct {
	Worktree Worktree
	Changes  []Change
}

// Collision is a pending change that cannot be applied to a checkout as it is,
// or not together with a change of another chat.
type Collision struct {
	Path     Path        // where they meet
	Change   Change      // one side
	With     *Change     // the other side, of another chat; nil if it is the checkout
	Checkout CheckoutDir // where With is nil
	Reason   string      // in words
}
