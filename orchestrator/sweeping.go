package orchestrator

import (
	"context"
	"errors"
)

// Sweep sweeps once; see [Reaping].
func (e *Engine) Sweep(ctx context.Context, req SweepRequest) (Sweep, error) {
	ctx, done, err := e.outlasting(ctx)
	if err != nil {
		return Sweep{}, err
	}
	defer done()
	return e.Reaper.Sweep(ctx, keeper{e}, req)
}

// outlasting lets a use case go on until done is called before the engine
// closes; the context ends when that begins to.
func (e *Engine) outlasting(ctx context.Context) (_ context.Context, done func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return ctx, nil, Errorf(CodeBusy, "boo is shutting down; nothing was done").WithHint("try again in a moment")
	}
	e.turns.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(e.life, cancel)
	return ctx, func() {
		stop()
		cancel()
		e.turns.Done()
	}, nil
}

// ReaperStatus tells what the reaper did last; see [Reaping].
func (e *Engine) ReaperStatus(ctx context.Context) (ReaperStatus, error) { return e.Reaper.Status(ctx) }

// ReaperLog lists decisions; see [Reaping].
func (e *Engine) ReaperLog(ctx context.Context, ref ChatRef, limit int) ([]SweepStep, error) {
	if ref.Prefix == "" {
		return e.Reaper.Log(ctx, "", limit)
	}
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	return e.Reaper.Log(ctx, chat.ID, limit)
}

// keeper implements [Keeper].
type keeper struct{ e *Engine }

func (k keeper) Settle(ctx context.Context) ([]Recovery, error) { return k.e.Recover(ctx) }

// Judge holds the chats' locks while their files are looked at.
func (k keeper) Judge(ctx context.Context, wts []Worktree) ([]RiskVerdict, error) {
	held := map[ChatID]bool{}
	for _, wt := range wts {
		k.e.linger(ctx, wt.Chat)
	}
	for _, wt := range wts {
		release, free, err := k.e.Locks.TryLock(ChatLock(wt.Chat))
		if err != nil {
			return nil, err
		}
		if free {
			defer release()
			held[wt.Chat] = true
		}
	}
	return k.e.judge(ctx, wts, held), nil
}

func (k keeper) Retire(ctx context.Context, chat ChatID, still func(Worktree) error) (Archived, error) {
	var done Archived
	free, err := k.Locked(chat, func() error {
		wt, err := k.e.Store.Worktree(ctx, chat)
		if err == nil {
			err = still(wt)
		}
		if err == nil {
			done, err = k.e.archive(ctx, chat, consent{})
		}
		return err
	})
	if err == nil && !free {
		err = Errorf(CodeBusy, "somebody works in the worktree of chat %s", chat)
	}
	return done, err
}

func (k keeper) Locked(chat ChatID, do func() error) (free bool, err error) {
	k.e.linger(k.e.life, chat)
	release, free, err := k.e.Locks.TryLock(ChatLock(chat))
	if err != nil || !free {
		return false, err
	}
	defer release()
	return true, do()
}

func (k keeper) Clear(ctx context.Context) int64 {
	release, free, err := k.e.Locks.TryLock(archivedLock)
	if err != nil || !free {
		return 0 // another boo is at it
	}
	defer release()
	return k.e.Archives.Clear(ctx)
}

// archivedLock names the lock of who clears away what was archived.
const archivedLock = "archived"

// noReaper stands where nothing is swept.
type noReaper struct{}

func (noReaper) Sweep(context.Context, Keeper, SweepRequest) (Sweep, error) {
	return Sweep{}, errNoReaper
}
func (noReaper) Status(context.Context) (ReaperStatus, error) { return ReaperStatus{}, errNoReaper }
func (noReaper) Log(context.Context, ChatID, int) ([]SweepStep, error) {
	return nil, errNoReaper
}

var errNoReaper = errors.New("there is no reaper here")
