package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"boo/orchestrator"
)

// Snapshot commits the whole worktree onto the chat's chain. Its tree is what
// "git add -A && git write-tree" would make of the same files in a clean clone
// of the base, together with the ignored files that the agent added by force;
// filters do not run. The first commit's parent is the base.
//
// It is taken in process where the result is certain to be git's, and by git
// otherwise: where files are converted, are left out, or have names that git
// may refuse, where repositories lie in the tree, or while it changes.
//
// What cannot be recorded is in Skipped, and keeps the entry that the snapshot
// before had for it. Nothing is read through a symlink. The commits that HEAD
// of the worktree is at, or has left, are held by refs too.
func (e *Engine) Snapshot(ctx context.Context, wt orchestrator.Worktree, by orchestrator.Signature, message string) (orchestrator.Snapshot, error) {
	if err := realDir(wt); err != nil {
		return orchestrator.Snapshot{}, err
	}
	if err := repoThere(wt); err != nil {
		return orchestrator.Snapshot{}, err
	}
	if err := e.keepHead(ctx, wt); err != nil {
		return orchestrator.Snapshot{}, coded(err, "take a snapshot of chat %s", wt.Chat)
	}
	prev, err := e.Newest(ctx, wt)
	if err != nil {
		return orchestrator.Snapshot{}, err
	}
	c := commit{
		parents: []orchestrator.ObjectID{cmp.Or(prev.Commit, wt.Base)},
		author:  e.signed(by), committer: e.signed(boo), message: message,
	}
	snap, err := e.snapshotInProcess(ctx, wt, prev, c)
	if err == nil || ctx.Err() != nil || orchestrator.CodeOf(err) == orchestrator.CodeConflict {
		return snap, coded(err, "take a snapshot of chat %s", wt.Chat)
	}
	if e.opts.Fallback != nil {
		e.opts.Fallback(err)
	}
	snap, err = e.snapshotByGit(ctx, wt, prev, c)
	return snap, coded(err, "take a snapshot of chat %s", wt.Chat)
}

// snapshotByGit takes a snapshot on prev and moves the chat's ref to it.
func (e *Engine) snapshotByGit(ctx context.Context, wt orchestrator.Worktree, prev orchestrator.Snapshot, c commit) (orchestrator.Snapshot, error) {
	objects, remove, err := e.tempDir("objects")
	if err != nil {
		return orchestrator.Snapshot{}, err
	}
	defer remove()
	snap, err := e.snapshot(ctx, wt, prev, objects)
	if err != nil {
		return orchestrator.Snapshot{}, err
	}
	r, err := e.plain(wt.CommonDir, wt.Base)
	if err != nil {
		return orchestrator.Snapshot{}, err
	}
	c.tree, snap.Parent = snap.Tree, c.parents[0]
	if snap.Commit, err = e.writeCommit(ctx, r.aside(objects), c); err != nil {
		return orchestrator.Snapshot{}, err
	}
	if err := releaseKept(wt.CommonDir, keepReason(wt.Chat)); err != nil {
		return orchestrator.Snapshot{}, err
	}
	written, err := e.bringIn(wt, objects)
	if err != nil {
		return orchestrator.Snapshot{}, err
	}
	head, _, _ := refsOf(wt.Chat)
	err = e.MoveRef(ctx, wt.CommonDir, head, prev.Commit, snap.Commit)
	if written.Keep != "" {
		_ = os.Remove(written.Keep) // removed by the next snapshot if not by this one
	}
	return snap, err
}

// snapshot writes the tree, its objects aside. If git cannot work with the chat's index, that is
// made anew, once: it may be damaged, or its objects may have been collected.
func (e *Engine) snapshot(ctx context.Context, wt orchestrator.Worktree, prev orchestrator.Snapshot, objects string) (orchestrator.Snapshot, error) {
	r, err := e.chat(ctx, wt)
	if err != nil {
		return orchestrator.Snapshot{}, err
	}
	r = r.aside(objects)
	// A lock here was left by a git that died: the caller holds the chat.
	_ = os.Remove(r.index + ".lock")
	if _, err := os.Lstat(r.index); err == nil {
		snap, err := e.record(ctx, wt, r, prev)
		if !errors.Is(err, errDamaged) && (!exited(err, 128) || isFull(err)) {
			return snap, err
		}
	}
	if err := e.rebuild(ctx, wt, r); err != nil {
		return orchestrator.Snapshot{}, err
	}
	return e.record(ctx, wt, r, prev)
}

// record scans the worktree and writes its tree.
func (e *Engine) record(ctx context.Context, wt orchestrator.Worktree, r repo, prev orchestrator.Snapshot) (orchestrator.Snapshot, error) {
	s, err := e.scan(ctx, wt, r)
	if err != nil {
		return orchestrator.Snapshot{}, err
	}
	if err := e.links(ctx, wt, r, &s); err != nil {
		return orchestrator.Snapshot{}, err
	}
	e.readable(string(wt.Dir), &s)

	snap := orchestrator.Snapshot{}
	if len(s.add)+len(s.set)+len(s.skip)+len(s.floods)+len(s.notes) > 0 {
		temp, remove, err := e.tempDir("snapshot")
		if err != nil {
			return orchestrator.Snapshot{}, err
		}
		defer remove()
		index := filepath.Join(temp, "index")
		if err := copyIndex(r.index, index); err != nil {
			return orchestrator.Snapshot{}, err
		}
		r = r.with(index)
		if snap.Skipped, err = e.change(ctx, wt, r, s, prev); err != nil {
			return orchestrator.Snapshot{}, err
		}
	}
	if snap.Tree, err = e.writeTree(ctx, r); err != nil {
		return orchestrator.Snapshot{}, fmt.Errorf("write the tree of chat %s: %w", wt.Chat, err)
	}
	return snap, nil
}
