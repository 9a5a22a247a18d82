package pending

import (
	"context"
	"io"

	"boo/orchestrator"
)

// Git is what this package needs of git. Package worktree implements it. None
// of the methods runs code that a repository or a tree names, and only those of
// [Landings] touch the index, HEAD or a branch of a checkout.
type Git interface {
	// Hold keeps open what calls with the context that it returns would each open
	// by themselves, until release. The rules of the checkout are those of now
	// for them, and objects that they make are on disk after Flush, or where one
	// of the calls needs them there.
	Hold(ctx context.Context, c orchestrator.Checkout) (held context.Context, release func())
	// Flush brings the objects that were made under a hold to the disk.
	Flush(ctx context.Context) error

	// Diff lists the paths that differ between two commits or trees, by path.
	Diff(ctx context.Context, common orchestrator.GitDir, from, to orchestrator.ObjectID) ([]orchestrator.FileChange, error)

	// Current reads the files at paths as they are in the checkout now, as git
	// would record them (end-of-line and encoding rules applied, filters not),
	// and stores their content as objects. A path where nothing is has the
	// zero Entry; hints are the entries that git's own rules consult (what is
	// recorded for the path now). Raw is set where the bytes were read on the
	// way. Cost follows the number of paths.
	Current(ctx context.Context, c orchestrator.Checkout, paths []orchestrator.Path, hints map[orchestrator.Path]orchestrator.Entry) (map[orchestrator.Path]orchestrator.Reading, error)

	// MergeFiles merges three regular files as git merge-file does. clean is
	// false on a conflict or where one of them is binary; the entry is then
	// without value.
	MergeFiles(ctx context.Context, common orchestrator.GitDir, base, ours, theirs orchestrator.Entry) (merged orchestrator.Entry, clean bool, err error)

	// Materialize writes entries below dir, called by what name says, in the form
	// they have in the checkout (end-of-line and encoding rules applied,
	// filters not). It syncs nothing.
	Materialize(ctx context.Context, c orchestrator.Checkout, dir string, entries map[orchestrator.Path]orchestrator.Entry, name func(orchestrator.Path) string) error

	// Overlay returns the tree that is tree with the entries put in place; a
	// zero Entry removes its path. tree may be a commit and then means its tree;
	// an empty id stands for the empty tree.
	Overlay(ctx context.Context, common orchestrator.GitDir, tree orchestrator.ObjectID, entries map[orchestrator.Path]orchestrator.Entry) (orchestrator.ObjectID, error)

	// Files returns the tree of the checkout's files as they are now, without the
	// ignored ones, and what else had to be left out of it.
	Files(ctx context.Context, c orchestrator.Checkout) (tree orchestrator.ObjectID, skipped []orchestrator.SkippedPath, err error)

	// Commit writes a commit object, signed off by boo.
	Commit(ctx context.Context, common orchestrator.GitDir, tree orchestrator.ObjectID, parents []orchestrator.ObjectID, message string) (orchestrator.ObjectID, error)

	// MoveRef sets a ref below refs/boo/ from old ("" for not there) to new (""
	// to delete), durably.
	MoveRef(ctx context.Context, common orchestrator.GitDir, ref string, old, new orchestrator.ObjectID) error

	// Blob copies the content of a blob to w.
	Blob(ctx context.Context, common orchestrator.GitDir, id orchestrator.ObjectID, w io.Writer) error

	// HooksDir returns where git is told to find hooks, absolute or relative to
	// the checkout; "" where it is not told.
	HooksDir(ctx context.Context, c orchestrator.Checkout) string

	// MergeMarked merges as MergeFiles does, but puts what collides between
	// conflict markers; regions are the colliding lines of ours, from 1. ok is
	// false where nothing can be marked.
	MergeMarked(ctx context.Context, common orchestrator.GitDir, base, ours, theirs orchestrator.Entry) (marked orchestrator.Entry, regions [][2]int, ok bool, err error)

	// At returns the entries that a commit or tree has at paths.
	At(ctx context.Context, common orchestrator.GitDir, tree orchestrator.ObjectID, paths []orchestrator.Path) (map[orchestrator.Path]orchestrator.Entry, error)

	// PutBlob stores the bytes of r as a blob, as they are: no rule of git's
	// changes them on the way.
	PutBlob(ctx context.Context, common orchestrator.GitDir, r io.Reader) (orchestrator.ObjectID, error)

	Landings
	Snapshots
}

// Landings is what is needed to put a change into the person's index, on their
// branch, or on a new one. Nobody's hook runs.
type Landings interface {
	// CheckedOut returns the ref that a commit in the checkout would move, and where
	// it is, "" on a branch without commits. CodeConflict in the midst of a
	// merge or the like.
	CheckedOut(ctx context.Context, c orchestrator.Checkout) (ref string, commit orchestrator.ObjectID, err error)
	// BranchRef turns a branch's name into its ref.
	BranchRef(ctx context.Context, c orchestrator.Checkout, name string) (string, error)
	// BranchAt returns where HEAD or a branch is, "" if it is not there.
	BranchAt(ctx context.Context, c orchestrator.Checkout, ref string) (orchestrator.ObjectID, error)
	// MoveBranch moves HEAD or a branch; CodeConflict if it was not at old.
	MoveBranch(ctx context.Context, c orchestrator.Checkout, ref string, old, new orchestrator.ObjectID, message string) error
	// Staged reads entries of the person's index; CodeConflict where it is in
	// the midst of a merge, or has a file for a directory of the paths.
	Staged(ctx context.Context, c orchestrator.Checkout, paths []orchestrator.Path) (map[orchestrator.Path]orchestrator.Entry, error)
	// Stage changes entries of the person's index, all or none; CodeConflict where
	// one is not as it is to be before. like is any id of the repository.
	Stage(ctx context.Context, c orchestrator.Checkout, steps []orchestrator.IndexStep, like orchestrator.ObjectID) error
	// Landed waits until no git that changes the index or a branch runs any more,
	// one that a dead boo had started included, and removes what that boo left: with
	// ref, a lock of it that says it is to be moved to made, a commit of boo's own.
	Landed(ctx context.Context, c orchestrator.Checkout, ref string, made orchestrator.ObjectID) error
	// Sparse returns those of the paths that the checkout leaves out because it
	// is a sparse one.
	Sparse(ctx context.Context, c orchestrator.Checkout, paths []orchestrator.Path) (map[orchestrator.Path]bool, error)
	// Person is who the person's commits are by.
	Person(ctx context.Context, common orchestrator.GitDir) orchestrator.Signature
	// CommitAs writes a commit of the person's.
	CommitAs(ctx context.Context, common orchestrator.GitDir, by orchestrator.Signature, tree orchestrator.ObjectID, parents []orchestrator.ObjectID, message string) (orchestrator.ObjectID, error)
}

// Snapshots is what a reject needs: the chat's files change, and the chain has
// to show it. The methods are those of [orchestrator.Trees].
type Snapshots interface {
	Newest(ctx context.Context, wt orchestrator.Worktree) (orchestrator.Snapshot, error)
	Snapshot(ctx context.Context, wt orchestrator.Worktree, by orchestrator.Signature, message string) (orchestrator.Snapshot, error)
	SnapshotChanges(ctx context.Context, wt orchestrator.Worktree, by orchestrator.Signature, message string) (orchestrator.Snapshot, error)
}

// Store is what this package needs of the store. Package store implements it.
type Store interface {
	Changes(ctx context.Context, q orchestrator.ChangeQuery) ([]orchestrator.Change, error)
	Worktree(ctx context.Context, chat orchestrator.ChatID) (orchestrator.Worktree, error)

	// PutApply stores a new apply in state prepared, on disk when it returns.
	PutApply(ctx context.Context, a orchestrator.Apply) error
	// CommitApply takes an apply from prepared to applied, its changes from
	// pending to applied, and the baseline of the worktree from a.OldBaseline
	// to a.NewBaseline, and stores rest, the rows of what is left of changes
	// that were applied in part, in one transaction. CodeConflict if a change
	// is not pending any more or the baseline has moved.
	CommitApply(ctx context.Context, a orchestrator.Apply, rest []orchestrator.Change) error
	// CommitUndo takes an apply from applied to undone, its changes from
	// applied to reverted, the baseline from one commit to another, and stores
	// delta, in one transaction; CodeConflict as above.
	CommitUndo(ctx context.Context, a orchestrator.Apply, from, to orchestrator.ObjectID, delta orchestrator.ChangeDelta) error
	// MoveApply takes an apply from one state to another, and nothing else.
	MoveApply(ctx context.Context, id orchestrator.ApplyID, from, to orchestrator.ApplyState) error
	// CommitReject takes a reject from prepared to applied and its changes from
	// pending to rejected, and stores delta and notes, in one transaction;
	// CodeConflict as above.
	CommitReject(ctx context.Context, a orchestrator.Apply, delta orchestrator.ChangeDelta, reason string, notes []orchestrator.Note) error
	// CommitUnreject takes a reject from applied to undone, its changes from
	// rejected to reverted, and stores delta, in one transaction. What nobody
	// has been told of it yet is dropped.
	CommitUnreject(ctx context.Context, a orchestrator.Apply, delta orchestrator.ChangeDelta) error
	// Uncleared lists the applies and rejects that something may be left of,
	// the newest first; an empty checkout selects all.
	Uncleared(ctx context.Context, checkout orchestrator.CheckoutDir) ([]orchestrator.Apply, error)
	// ClearApply notes that nothing is left of one.
	ClearApply(ctx context.Context, id orchestrator.ApplyID) error
	// LastApply returns the newest apply or reject in force that was asked for
	// in a checkout; CodeNotFound if there is none.
	LastApply(ctx context.Context, origin orchestrator.CheckoutDir) (orchestrator.Apply, error)
	// Turns lists a chat's turns by number.
	Turns(ctx context.Context, chat orchestrator.ChatID) ([]orchestrator.Turn, error)
	// StoreDelta stores a delta by itself.
	StoreDelta(ctx context.Context, delta orchestrator.ChangeDelta) error
}
