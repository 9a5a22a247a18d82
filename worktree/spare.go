package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/idle"
	"boo/worktree/internal/pack/objectid"
)

// A spare is a worktree that is made before its chat is. It has the id, the place
// and the refs of the chat that will take it, so that nothing has to be moved
// then; only its lock says that it is nobody's yet. What proves that it was never
// touched lies with the private files of the chat to be:
//
//	refs ──▶ registered ──▶ files ──▶ indexes ──▶ proof ──▶ a spare
//	           ▲                                   │           │
//	           ╰── cleared, made anew ◀── no proof,│           ├─ base moves: proof dropped,
//	                                      or false ╯           │  files changed, new proof
//	                                                           ╰─ Create: lock rewritten,
//	                                                              proof dropped ──▶ the chat's
//
// A proof is dropped before anything that it speaks of is changed, and the last
// to be written: whatever was cut off has none, and Create makes it anew.

type idleKey struct{}

// isIdle reports whether a call is for work that nobody waits for.
func isIdle(ctx context.Context) bool { return ctx.Value(idleKey{}) != nil }

// Spare makes wt, which is no chat's yet, ready to be one's: Create then takes it
// over in a few small reads and one write. A spare that is there at another base
// is brought to this one. Everything else on the machine goes first.
//
// CodeFull where a spare has no room, by Options.MaxSpare and MinFree. On error
// something may be left; [Engine.Discard] clears it. No two calls for the same
// chat at a time.
func (e *Engine) Spare(ctx context.Context, wt orchestrator.Worktree) error {
	return idle.Run(func() error { return e.spare(context.WithValue(ctx, idleKey{}, true), wt) })
}

func (e *Engine) spare(ctx context.Context, wt orchestrator.Worktree) error {
	if p, err := e.proven(ctx, wt); err == nil {
		if p.Base == wt.Base {
			return nil
		}
		if e.catchUp(ctx, wt, p) == nil {
			return e.ready(ctx, wt)
		}
	}
	if err := e.roomFor(wt); err != nil {
		return err
	}
	if err := e.create(ctx, wt, spareReason(wt.Chat)); err != nil {
		return err
	}
	return e.ready(ctx, wt)
}

// ready makes what was just written a spare.
func (e *Engine) ready(ctx context.Context, wt orchestrator.Worktree) error {
	if err := e.ripen(ctx, wt); err != nil {
		return coded(err, "ready the index of spare worktree %s", wt.Dir)
	}
	return coded(e.prove(ctx, wt), "record the state of spare worktree %s", wt.Dir)
}

// roomFor refuses a spare that would be large, or leave little of the disk.
func (e *Engine) roomFor(wt orchestrator.Worktree) error {
	var size int64
	if format, err := objectid.FormatOf(wt.Base); err == nil {
		// The person's checkout is about as large. Where that is not known, what
		// must stay free is margin enough.
		if index, err := dircache.Read(filepath.Join(string(wt.CommonDir), "index"), format); err == nil {
			for _, entry := range index.Entries() {
				size += int64(entry.Stat.Size)
			}
		}
	}
	if size > e.opts.MaxSpare {
		return orchestrator.Errorf(orchestrator.CodeFull, "the files of %s are too large to have a spare of", wt.CommonDir)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(e.dir, &disk); err != nil {
		return coded(err, "look at the disk of %s", e.dir)
	}
	if int64(disk.Bavail)*int64(disk.Bsize)-size < e.opts.MinFree {
		return orchestrator.Errorf(orchestrator.CodeFull, "there is too little of the disk left for a spare worktree")
	}
	return nil
}

// ripen sees to it that the index is of a later second than the files are, as
// git compares no less: the first git status then need not read them again.
func (e *Engine) ripen(ctx context.Context, wt orchestrator.Worktree) error {
	r, err := e.chat(ctx, wt)
	if err != nil {
		return err
	}
	format, err := objectid.FormatOf(wt.Base)
	if err != nil {
		return err
	}
	index, err := dircache.Read(r.index, format)
	if err != nil || !racy(index) {
		return err
	}
	select {
	// The files were written by now, whatever the index's own time is.
	case <-time.After(time.Until(time.Now().Truncate(time.Second).Add(1100 * time.Millisecond))):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if _, err := e.git.Run(ctx, r.call("update-index", "-q", "--refresh", "--force-write-index")); err != nil {
		return err
	}
	return e.shareIndex(wt, r)
}

// racy reports whether git, or a snapshot in process, would read a file again that
// is not newer than the index: most gits are built to compare whole seconds.
func racy(index *dircache.Index) bool {
	asOf := index.AsOf().Unix()
	return slices.ContainsFunc(index.Entries(), func(e dircache.Entry) bool { return e.Stat.Mtime().Unix() >= asOf || index.Racy(&e) })
}

// shareIndex gives the worktree's own git the index that boo has.
func (e *Engine) shareIndex(wt orchestrator.Worktree, r repo) error {
	own := adminOf(wt).file("index")
	if err := os.Remove(own); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return copyIndex(r.index, own)
}

// Discard removes a spare, or what is left of one. CodeAtRisk if it holds
// snapshots: then it is none.
func (e *Engine) Discard(ctx context.Context, wt orchestrator.Worktree) error {
	if err := e.distrust(wt.Chat); err != nil {
		return err
	}
	if repoThere(wt) != nil {
		if err := os.RemoveAll(string(wt.Dir)); err != nil {
			return coded(err, "clear spare worktree %s", wt.Dir)
		}
		return coded(os.RemoveAll(e.chatDir(wt.Chat)), "clear spare worktree %s", wt.Dir)
	}
	newest, err := e.Newest(ctx, wt)
	if err != nil {
		return err
	}
	if newest.Commit != "" {
		return orchestrator.Errorf(orchestrator.CodeAtRisk, "%s has snapshots; it is no spare", wt.Dir)
	}
	return coded(idle.Run(func() error { return e.clear(ctx, wt) }), "clear spare worktree %s", wt.Dir)
}

// distrust drops the proof of a spare; it may not be there.
func (e *Engine) distrust(chat orchestrator.ChatID) error {
	err := os.Remove(e.proofFile(chat))
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("drop the proof of a spare worktree: %w", err)
}

func (e *Engine) proofFile(chat orchestrator.ChatID) string {
	return filepath.Join(e.chatDir(chat), "spare")
}
