package pending

import (
	"context"
	"io"

	"boo/orchestrator"
)

// Git is what this package needs of git. Package worktree implements it. None
// of the methods runs code that a repository or a tree names, and none touches
// the index, HEAD or a branch of a checkout.
type Git interface {
	// Diff lists the paths that differ between two commits or trees, by path.
	Diff(ctx context.Context, common orchestrator.GitDir, from, to orchestrator.ObjectID) ([]orchestrator.FileChange, error)

	// Current reads the files at paths as they are in the checkout now, as git
	// would record them (end-of-line and encoding rules applied, filters not),
	// and stores their content as objects. A path where nothing is has the
	// zero Entry; hints are the entries that git's own rules consult (what is
	// recorded for the path now). Cost follows the number of paths.
	Current(ctx context.Context, c orchestrator.Checkout, paths []orchestrator.Path, hints map[orchestrator.Path]orchestrator.Entry) (map[orchestrator.Path]orchestrator.Entry, error)

	// MergeFiles merges three regular files as git merge-file does. clean is
	// false on a conflict or where one of them is binary; the entry is then
	// without value.
	MergeFiles(ctx context.Context, common orchestrator.GitDir, base, ours, theirs orchestrator.Entry) (merged orchestrator.Entry, clean bool, err error)

	// Materialize writes entries below dir, named by their paths, in the form
	// they have in the checkout (end-of-line and encoding rules applied,
	// filters not), fsynced.
	Materialize(ctx context.Context, c orchestrator.Checkout, dir string, entries map[orchestrator.Path]orchestrator.Entry) error

	// Overlay returns the tree that is tree with the entries put in place; a
	// zero Entry removes its path. tree may be a commit and then means its tree;
	// an empty id stands for the empty tree.
	Overlay(ctx context.Context, common orchestrator.GitDir, tree orchestrator.ObjectID, entries map[orchestrator.Path]orchestrator.Entry) (orchestrator.ObjectID, error)

	// Commit writes a commit object, signed off by boo.
	Commit(ctx context.Context, common orchestrator.GitDir, tree orchestrator.ObjectID, parents []orchestrator.ObjectID, message string) (orchestrator.ObjectID, error)

	// MoveRef sets a ref below refs/boo/ from old ("" for not there) to new (""
	// to delete), durably.
	MoveRef(ctx context.Context, common orchestrator.GitDir, ref string, old, new orchestrator.ObjectID) error

	// Blob copies the content of a blob to w.
	Blob(ctx context.Context, common orchestrator.GitDir, id orchestrator.ObjectID, w io.Writer) error

	// PutBlob stores the bytes of r as a blob, as they are: no rule of git's
	// changes them on the way.
	PutBlob(ctx context.Context, common orchestrator.GitDir, r io.Reader) (orchestrator.ObjectID, error)
}

// Store is what this package needs of the store. Package store implements it.
type Store interface {
	Changes(ctx context.Context, q orchestrator.ChangeQuery) ([]orchestrator.Change, error)
	Worktree(ctx context.Context, chat orchestrator.ChatID) (orchestrator.Worktree, error)

	// PutApply stores a new apply in state prepared, on disk when it returns.
	PutApply(ctx context.Context, a orchestrator.Apply) error
	// CommitApply takes an apply from prepared to applied, its changes from
	// pending to applied, and the baseline of the worktree from a.OldBaseline
	// to a.NewBaseline, in one transaction. CodeConflict if a change is not
	// pending any more or the baseline has moved.
	CommitApply(ctx context.Context, a orchestrator.Apply) error
	// CommitUndo takes an apply from applied to undone, its changes from
	// applied to reverted, the baseline to baseline, and stores delta, in one
	// transaction.
	CommitUndo(ctx context.Context, a orchestrator.Apply, baseline orchestrator.ObjectID, delta orchestrator.ChangeDelta) error
	// MoveApply takes an apply from one state to another, and nothing else.
	MoveApply(ctx context.Context, id orchestrator.ApplyID, from, to orchestrator.ApplyState) error
	// Applies lists applies in the given states, the newest first; an empty
	// checkout selects all.
	Applies(ctx context.Context, checkout orchestrator.CheckoutDir, states ...orchestrator.ApplyState) ([]orchestrator.Apply, error)
}
