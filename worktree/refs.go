package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"boo/orchestrator"
)

// staleLock is the age at which a lock on a ref of boo's is taken for the
// leaving of a git that was killed: git holds one for milliseconds.
const staleLock = time.Minute

// refsOf returns the refs of a chat.
func refsOf(chat orchestrator.ChatID) (head, base, baseline string) {
	dir := chatRefs(chat)
	return dir + "head", dir + "base", dir + "baseline"
}

// chatRefs is what all refs of a chat begin with.
func chatRefs(chat orchestrator.ChatID) string { return "refs/boo/chats/" + string(chat) + "/" }

// MoveRef sets a ref below refs/boo/ from old ("" for not there) to new (""
// to delete). When it returns nil the ref is on disk; CodeConflict when it was
// not at old.
func (e *Engine) MoveRef(ctx context.Context, common orchestrator.GitDir, ref string, old, new orchestrator.ObjectID) error {
	name, ok := strings.CutPrefix(ref, "refs/boo/")
	if _, err := orchestrator.ParsePath(name); !ok || err != nil {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "%q is not a ref of boo's", ref)
	}
	return e.moveRef(ctx, common, move{ref, old, new}, func() error { return nil })
}

// move is what becomes of a ref: from old ("" for not there) to new ("" to
// delete).
type move struct {
	ref      string
	old, new orchestrator.ObjectID
}

// moveRef is [Engine.MoveRef] after settle has brought to the disk what the ref
// will lead to. It may be called twice.
func (e *Engine) moveRef(ctx context.Context, common orchestrator.GitDir, m move, settle func() error) error {
	if err := e.Flush(ctx); err != nil {
		return err
	}
	var args []string
	switch {
	case m.new == "" && m.old == "":
		return nil
	case m.new == "":
		args = []string{"update-ref", "-d", m.ref, string(m.old)}
	case m.old == "":
		args = []string{"update-ref", m.ref, string(m.new), strings.Repeat("0", len(m.new))}
	default:
		args = []string{"update-ref", m.ref, string(m.new), string(m.old)}
	}
	breakLock(common, m.ref, e.opts.Now())
	if m.new != "" {
		// Whatever is out of the ordinary git does, and says; but not that a disk is full.
		err := writeRef(ctx, common, m, settle)
		if err == nil || ctx.Err() != nil || orchestrator.CodeOf(err) == orchestrator.CodeConflict || isFull(err) {
			return coded(err, "move %s", m.ref)
		}
	}
	if err := settle(); err != nil {
		return err
	}
	_, err := e.git.Run(ctx, shared(common, args...))
	if err == nil {
		return nil
	}
	now, lookErr := e.refCommit(ctx, common, m.ref)
	if lookErr == nil && now != m.old {
		return orchestrator.Errorf(orchestrator.CodeConflict, "%s was moved by somebody else: %w", m.ref, err)
	}
	return coded(err, "move %s", m.ref)
}

// breakLock removes the lock of a ref if it is stale: a dead boo's at once, any
// other when it is old. Only boo writes these refs, under the chat's lock.
func breakLock(common orchestrator.GitDir, ref string, now time.Time) {
	lock := filepath.Join(string(common), filepath.FromSlash(ref)+".lock")
	if removeDead(lock) {
		return
	}
	if info, err := os.Lstat(lock); err == nil && now.Sub(info.ModTime()) > staleLock {
		_ = os.Remove(lock) // git says so if it is in the way still
	}
}

// Newest returns the newest snapshot of the chat; its Commit is "" if there is
// none yet.
func (e *Engine) Newest(ctx context.Context, wt orchestrator.Worktree) (orchestrator.Snapshot, error) {
	head, _, _ := refsOf(wt.Chat)
	if commit, err := refValue(wt.CommonDir, head); err == nil {
		if commit == "" {
			return orchestrator.Snapshot{}, nil
		}
		if snap := e.remembered(wt.Chat); snap.Commit == commit {
			return snap, nil
		}
	}
	snap, err := e.ref(ctx, wt.CommonDir, head)
	return snap, coded(err, "read the newest snapshot of chat %s", wt.Chat)
}

// refCommit reads the commit that a ref points at, "" when it is not there.
func (e *Engine) refCommit(ctx context.Context, common orchestrator.GitDir, name string) (orchestrator.ObjectID, error) {
	if commit, err := refValue(common, name); err == nil {
		return commit, nil
	}
	snap, err := e.ref(ctx, common, name)
	return snap.Commit, err
}

// ref reads a ref that points at a commit, with the commit's tree and first
// parent; all are "" when it is not there.
func (e *Engine) ref(ctx context.Context, common orchestrator.GitDir, name string) (orchestrator.Snapshot, error) {
	out, err := e.git.Run(ctx, shared(common, "for-each-ref", "--format=%(refname) %(objectname) %(tree) %(parent)", name))
	if err != nil {
		return orchestrator.Snapshot{}, fmt.Errorf("read %s: %w", name, err)
	}
	for line := range strings.Lines(string(out.Stdout)) {
		// The pattern also matches refs below a name that is a directory.
		if f := strings.Fields(line); len(f) >= 3 && f[0] == name {
			snap := orchestrator.Snapshot{Commit: orchestrator.ObjectID(f[1]), Tree: orchestrator.ObjectID(f[2])}
			if len(f) > 3 {
				snap.Parent = orchestrator.ObjectID(f[3])
			}
			return snap, nil
		}
	}
	return orchestrator.Snapshot{}, nil
}
