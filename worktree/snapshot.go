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
	return e.newSnapshot(ctx, wt, by, message, false)
}

// SnapshotChanges is [Engine.Snapshot] where the worktree differs from the
// newest snapshot, and returns that one where it does not: then nothing is
// written. A signature without a name is the person's: who that is is asked only
// when something is written, as it costs a process.
func (e *Engine) SnapshotChanges(ctx context.Context, wt orchestrator.Worktree, by orchestrator.Signature, message string) (orchestrator.Snapshot, error) {
	return e.newSnapshot(ctx, wt, by, message, true)
}

func (e *Engine) newSnapshot(ctx context.Context, wt orchestrator.Worktree, by orchestrator.Signature, message string, unlessSame bool) (orchestrator.Snapshot, error) {
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
	return e.take(ctx, taking{wt: wt, prev: prev, commit: e.commitOn(cmp.Or(prev.Commit, wt.Base), by, message), unlessSame: unlessSame})
}

// taking is a snapshot to be taken.
type taking struct {
	wt         orchestrator.Worktree
	prev       orchestrator.Snapshot // the chain's newest
	commit     commit                // its tree is not known yet
	unlessSame bool                  // prev will do if it has the same tree
	fast       *provisional          // what is to be confirmed; nil as a rule
	fence      *view                 // tells what was touched since fast was made; nil without it
	looked     *lookedThrough        // is told what was found, if it is taken in process; may be nil
}

// same returns the snapshot that a tree makes a new one needless for.
func (t taking) same(tree orchestrator.ObjectID) (orchestrator.Snapshot, bool) {
	switch {
	case t.fast != nil && t.fast.snap.Tree == tree:
		return t.fast.snap, true
	case t.fast == nil && t.unlessSame && t.prev.Commit != "" && t.prev.Tree == tree:
		return t.prev, true
	}
	return orchestrator.Snapshot{}, false
}

func (e *Engine) commitOn(parent orchestrator.ObjectID, by orchestrator.Signature, message string) commit {
	return commit{parents: []orchestrator.ObjectID{parent}, author: e.signed(by), committer: e.signed(boo), message: message}
}

// authored is the commit of a snapshot with its author.
func (e *Engine) authored(ctx context.Context, t taking) commit {
	c := t.commit
	if c.author.Name == "" {
		when := c.author.When
		c.author = e.Person(ctx, t.wt.CommonDir)
		c.author.When = when
	}
	return c
}

// take takes a snapshot, in process if that can be.
func (e *Engine) take(ctx context.Context, t taking) (orchestrator.Snapshot, error) {
	snap, err := e.snapshotInProcess(ctx, t)
	if err != nil && ctx.Err() == nil && orchestrator.CodeOf(err) != orchestrator.CodeConflict {
		e.fellBack(t.wt, err)
		snap, err = e.snapshotByGit(ctx, t)
	}
	snap.Verified = err == nil
	return snap, coded(err, "take a snapshot of chat %s", t.wt.Chat)
}

// snapshotByGit takes a snapshot and moves the chat's ref to it.
func (e *Engine) snapshotByGit(ctx context.Context, t taking) (orchestrator.Snapshot, error) {
	objects, remove, err := e.tempDir("objects")
	if err != nil {
		return orchestrator.Snapshot{}, err
	}
	defer remove()
	snap, err := e.snapshot(ctx, t.wt, t.prev, objects)
	if err != nil {
		return orchestrator.Snapshot{}, err
	}
	if old, same := t.same(snap.Tree); same {
		old.Skipped = snap.Skipped
		return old, e.chain(ctx, t, old.Commit)
	}
	if t.fence != nil {
		if sure, err := t.fence.untouched(ctx); err != nil || !sure {
			return t.fast.snap, errors.Join(err, e.chain(ctx, t, t.fast.snap.Commit))
		}
	}
	r, err := e.plain(t.wt.CommonDir, t.wt.Base)
	if err != nil {
		return orchestrator.Snapshot{}, err
	}
	t.commit = e.authored(ctx, t)
	t.commit.tree, snap.Parent = snap.Tree, t.commit.parents[0]
	if snap.Commit, err = e.writeCommit(ctx, r.aside(objects), t.commit); err != nil {
		return orchestrator.Snapshot{}, err
	}
	if t.fast == nil {
		if err := e.releaseKept(t.wt.CommonDir, t.wt.Chat); err != nil {
			return orchestrator.Snapshot{}, err
		}
	}
	written, err := e.bringIn(t.wt, objects)
	if err != nil {
		return orchestrator.Snapshot{}, err
	}
	err = e.chain(ctx, t, snap.Commit)
	if written.Keep != "" {
		_ = os.Remove(written.Keep) // removed by the next snapshot if not by this one
	}
	return snap, err
}

// chain makes a commit, which is on disk, the newest of the chat's chain.
func (e *Engine) chain(ctx context.Context, t taking, commit orchestrator.ObjectID) error {
	if commit == t.prev.Commit {
		return nil
	}
	head, _, _ := refsOf(t.wt.Chat)
	err := e.moveRef(ctx, t.wt.CommonDir, move{head, t.prev.Commit, commit}, t.fast.settle)
	if err == nil {
		t.fast.release()
	}
	return err
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
	reread, err := e.newRules(wt, r, &s)
	if err != nil {
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
		if reread != nil {
			err = reread.WriteFile(index)
		} else {
			err = copyIndex(r.index, index)
		}
		if err != nil {
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
