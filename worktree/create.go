package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"boo/orchestrator"
)

// Create makes wt: refs/boo/chats/<chat>/base and baseline first, then the
// registration, locked, with HEAD detached at the base, then the files, with
// git's own conversions (end of line, encoding) and no filter. Submodule
// directories stay empty. When it returns an error nothing of it is left.
//
// What a broken earlier attempt left is cleared first. CodeAtRisk if the chat
// has snapshots already: then this is no broken attempt but work to restore.
// CodeConflict if something that is not boo's stands at wt.Dir.
//
// Where a spare was made for the chat, and is what it was, it becomes the
// worktree; see [Engine.Spare].
func (e *Engine) Create(ctx context.Context, wt orchestrator.Worktree) error {
	if e.adopt(ctx, wt) {
		e.dropBase(ctx, wt)
		return nil
	}
	return e.create(ctx, wt, lockReason(wt.Chat))
}

// create makes a worktree that is locked for a reason.
func (e *Engine) create(ctx context.Context, wt orchestrator.Worktree, reason string) (err error) {
	if err := e.clearable(ctx, wt); err != nil {
		return err
	}
	if err := e.clear(ctx, wt); err != nil {
		return coded(err, "clear what an earlier attempt left of worktree %s", wt.Dir)
	}
	defer func() {
		if err == nil || isIdle(ctx) && ctx.Err() != nil {
			return // who ends boo does not wait for a spare to be cleared away
		}
		// The caller's context may be what ended the attempt.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		if left := e.clear(ctx, wt); left != nil {
			err = errors.Join(err, fmt.Errorf("clear worktree %s away: %w", wt.Dir, left))
		}
	}()
	if err := e.hold(ctx, wt); err != nil {
		return coded(err, "hold the base of worktree %s", wt.Dir)
	}
	if err := register(wt, reason); err != nil {
		return coded(err, "create worktree %s", wt.Dir)
	}
	if err := e.fill(ctx, wt); err != nil {
		return coded(err, "create worktree %s", wt.Dir)
	}
	e.dropBase(ctx, wt)
	return nil
}

// clearable refuses to go on where clearing could take something that a
// broken Create has not left.
func (e *Engine) clearable(ctx context.Context, wt orchestrator.Worktree) error {
	if err := repoThere(wt); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(string(wt.CommonDir), "reftable")); err == nil {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "%s keeps its refs in a reftable, which boo cannot register worktrees in", wt.CommonDir).
			WithHint("git refs migrate --ref-format=files")
	}
	newest, err := e.Newest(ctx, wt)
	if err != nil {
		return err
	}
	if newest.Commit != "" {
		return orchestrator.Errorf(orchestrator.CodeAtRisk, "chat %s has snapshots; its worktree is not made anew over them", wt.Chat).
			WithHint("boo worktree restore %s", wt.Chat)
	}
	at, err := readSmall(adminOf(wt).file("gitdir"), 64<<10)
	if err == nil && strings.TrimRight(string(at), "\n") != filepath.Join(string(wt.Dir), ".git") {
		return orchestrator.Errorf(orchestrator.CodeConflict, "the worktree of chat %s is registered at %q", wt.Chat, filepath.Dir(string(at)))
	}
	if _, err := os.Lstat(string(adminOf(wt))); err == nil {
		return nil // registered by us, so the directory is ours too
	}
	entries, err := os.ReadDir(string(wt.Dir))
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	return orchestrator.Errorf(orchestrator.CodeConflict, "%s is in the way and not boo's", wt.Dir).
		WithHint("mv %s elsewhere", quoteShell(string(wt.Dir)))
}

// clear removes every trace of a worktree that holds no work. The registration
// goes last but one, and the refs last: as long as something is left to
// clear, the next attempt can see whose it is.
func (e *Engine) clear(ctx context.Context, wt orchestrator.Worktree) error {
	if err := os.RemoveAll(string(wt.Dir)); err != nil {
		return err
	}
	if err := os.RemoveAll(e.chatDir(wt.Chat)); err != nil {
		return err
	}
	if err := dropContents(wt.CommonDir, wt.Chat); err != nil {
		return err
	}
	a := adminOf(wt)
	if err := os.RemoveAll(string(a)); err != nil {
		return err
	}
	_ = os.Remove(filepath.Dir(string(a))) // fails while other worktrees are registered, as it should
	_, base, baseline := refsOf(wt.Chat)
	for _, name := range []string{baseline, base} {
		now, err := e.refCommit(ctx, wt.CommonDir, name)
		if err != nil {
			return err
		}
		if err := e.MoveRef(ctx, wt.CommonDir, name, now, ""); err != nil {
			return err
		}
	}
	return nil
}

// hold keeps the base and the baseline from being collected.
func (e *Engine) hold(ctx context.Context, wt orchestrator.Worktree) error {
	_, base, baseline := refsOf(wt.Chat)
	if err := e.MoveRef(ctx, wt.CommonDir, base, "", wt.Base); err != nil {
		return err
	}
	start := wt.Baseline
	if start == "" {
		start = wt.Base
	}
	return e.MoveRef(ctx, wt.CommonDir, baseline, "", start)
}

// fill writes the files, and gives both boo and the worktree's own git an
// index that knows them. Where it cannot write them in process, for whatever
// reason, git does, and has the last word on errors.
func (e *Engine) fill(ctx context.Context, wt orchestrator.Worktree) error {
	r, err := e.chat(ctx, wt)
	if err != nil {
		return err
	}
	if len(wt.Sparse) > 0 {
		if err := e.fillSparse(ctx, wt, r); err != nil {
			return err
		}
		return copyIndex(r.index, adminOf(wt).file("index"))
	}
	if err := e.populate(ctx, wt, r); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("check out %s: %w", wt.Base.Short(), err)
		}
		call := r.call("read-tree", "-m", "-u", string(wt.Base))
		if _, err := e.git.Run(ctx, call); err != nil {
			return fmt.Errorf("check out %s: %w", wt.Base.Short(), noteFull(err, string(wt.Dir)))
		}
	}
	// Nobody but boo has written there so far: the index is true as of now.
	if err := os.Chtimes(r.index, time.Time{}, stamp()); err != nil {
		return err
	}
	return copyIndex(r.index, adminOf(wt).file("index"))
}
