package orchestrator

import (
	"context"
	"slices"
)

// sparing says whether the spares of a repository are to be looked after once
// more when that is done.
type sparing struct{ again, more bool }

// KeepSpares looks after all spares that are there, in the background: what was
// half made when a boo died is cleared away, and so are the spares of
// repositories that are out of use. No new ones are made.
func (e *Engine) KeepSpares(ctx context.Context) error {
	spares, err := e.Store.Spares(ctx)
	for _, s := range spares {
		e.keepSpares(s.Repo, false)
	}
	return err
}

// keepSpares looks after the spares of a repository in the background, and makes
// those that are missing if more are wanted. The engine cuts it off, and waits
// for it, when it closes; the next boo that looks sees to the rest. That it fails
// shows only in that a chat's worktree takes longer to make.
func (e *Engine) keepSpares(repo RepoID, more bool) {
	if e.Spares == 0 && more {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if running, is := e.sparing[repo]; is {
		e.sparing[repo] = sparing{again: true, more: running.more || more}
		return
	}
	if e.closed {
		return
	}
	e.sparing[repo] = sparing{}
	e.turns.Add(1)
	go func() {
		defer e.turns.Done()
		for again := true; again; {
			_ = e.lookAfterSpares(e.life, repo, more)
			e.mu.Lock()
			more, again = e.sparing[repo].more, e.sparing[repo].again
			if e.sparing[repo] = (sparing{}); !again {
				delete(e.sparing, repo)
			}
			e.mu.Unlock()
		}
	}()
}

// lookAfterSpares clears away, takes to the commit that is checked out, and makes
// spares of a repository, unless another boo is at it.
func (e *Engine) lookAfterSpares(ctx context.Context, id RepoID, more bool) error {
	release, free, err := e.Locks.TryLock("spares-" + string(id))
	if err != nil || !free {
		return err
	}
	defer release()
	repo, err := e.Store.Repo(ctx, id)
	if err != nil {
		return err
	}
	want, from, inUse := e.wantedSpare(ctx, repo)
	all, err := e.Store.Spares(ctx)
	if err != nil {
		return err
	}
	n := 0
	for _, s := range all {
		if s.Repo != id {
			if _, used := e.lastChat(ctx, s.Repo); more && !used {
				e.keepSpares(s.Repo, false)
			}
			continue
		}
		if s.State == SpareMaking || !inUse || n == e.Spares || !slices.Equal(s.Sparse, want.Sparse) {
			err = e.dropSpare(ctx, repo, s)
		} else {
			n++
			err = e.freshen(ctx, repo, s, want.Base)
		}
		if err != nil {
			return err
		}
	}
	for ; more && inUse && n < e.Spares; n++ {
		if err := e.makeSpare(ctx, repo, want); err != nil {
			return err
		}
	}
	if n > 0 {
		e.follow(id, from)
	}
	return nil
}

// wantedSpare is what the next chat of a repository will most likely ask for: the
// commit that is checked out where the last one was begun, which is from. It reports
// false for a repository that is out of use.
func (e *Engine) wantedSpare(ctx context.Context, repo Repo) (want Spare, from Checkout, inUse bool) {
	last, used := e.lastChat(ctx, repo.ID)
	if !used {
		return want, from, false
	}
	dir := last.Worktree.Source
	if dir == "" {
		dir = repo.Root
	}
	from, err := e.Trees.Checkout(ctx, string(dir))
	if err != nil || from.CommonDir != repo.CommonDir || from.Head == "" {
		return want, from, false
	}
	base, err := e.Trees.Base(ctx, from, BaseRequest{})
	if err != nil {
		return want, from, false
	}
	sparse, err := e.sparse(ctx, from, SendRequest{}, base)
	return Spare{Repo: repo.ID, Base: base.Commit, Sparse: sparse}, from, err == nil
}

// lastChat returns the chat last used in a repository, and false if that is long
// ago. What cannot be read counts as in use, so that nothing goes for it.
func (e *Engine) lastChat(ctx context.Context, repo RepoID) (last ChatSummary, used bool) {
	chats, err := e.Store.Chats(ctx, ChatQuery{Repo: repo, Limit: 1})
	if err != nil || len(chats) == 0 {
		return last, err != nil
	}
	return chats[0], e.Now().Sub(chats[0].LastUsedAt) <= spareAge
}

func (e *Engine) makeSpare(ctx context.Context, repo Repo, s Spare) error {
	s.Chat, s.State = NewChatID(), SpareMaking
	if err := e.Store.PutSpare(ctx, s); err != nil {
		return err
	}
	return e.finishSpare(ctx, repo, s)
}

// freshen takes a ready spare to another base, unless somebody takes it first.
func (e *Engine) freshen(ctx context.Context, repo Repo, s Spare, base ObjectID) error {
	if s.Base == base {
		return nil
	}
	err := e.Store.MoveSpare(ctx, s.Chat, SpareMaking, base)
	if CodeOf(err) == CodeConflict {
		return nil
	}
	if err != nil {
		return err
	}
	s.Base = base
	return e.finishSpare(ctx, repo, s)
}

// finishSpare makes the files of a spare, which is on record, and gives it out.
func (e *Engine) finishSpare(ctx context.Context, repo Repo, s Spare) error {
	err := e.Trees.Spare(ctx, e.spareTree(repo, s))
	if err == nil {
		return e.Store.MoveSpare(ctx, s.Chat, SpareReady, s.Base)
	}
	if ctx.Err() == nil {
		_ = e.dropSpare(ctx, repo, s) // else the next boo does
	}
	return err
}

// dropSpare clears a spare away, unless somebody takes it first.
func (e *Engine) dropSpare(ctx context.Context, repo Repo, s Spare) error {
	if s.State == SpareReady {
		err := e.Store.MoveSpare(ctx, s.Chat, SpareMaking, s.Base)
		if CodeOf(err) == CodeConflict {
			return nil
		}
		if err != nil {
			return err
		}
	}
	if err := e.Trees.Discard(ctx, e.spareTree(repo, s)); err != nil {
		return err
	}
	return e.Store.DropSpare(ctx, s.Chat)
}

// spareTree is the worktree that a spare will be.
func (e *Engine) spareTree(repo Repo, s Spare) Worktree {
	return Worktree{
		Chat: s.Chat, Repo: repo.ID, CommonDir: repo.CommonDir, Dir: e.worktreeDir(repo.ID, s.Chat),
		Base: s.Base, Baseline: s.Base, State: WorktreeCreating, Sparse: s.Sparse,
	}
}
