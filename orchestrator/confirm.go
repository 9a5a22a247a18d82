package orchestrator

import (
	"context"
	"fmt"
	"time"
)

// takeSnapshot records a worktree.
type takeSnapshot func(ctx context.Context, by Signature, message string) (Snapshot, error)

// plainly takes a snapshot without a watcher.
func (e *Engine) plainly(wt Worktree) takeSnapshot {
	return func(ctx context.Context, by Signature, message string) (Snapshot, error) {
		return e.Trees.Snapshot(ctx, wt, by, message)
	}
}

// again takes a snapshot without a watcher where the newest one is not right.
func (e *Engine) again(wt Worktree) takeSnapshot {
	return func(ctx context.Context, by Signature, message string) (Snapshot, error) {
		return e.Trees.SnapshotChanges(ctx, wt, by, message)
	}
}

// confirm compares what a watcher saw of a turn with the files, and corrects
// the pending set where it was wrong; doubt is said with that. The chat's lock is
// held.
func (e *Engine) confirm(ctx context.Context, wt Worktree, t Turn, take takeSnapshot, seen ObjectID, doubt string) error {
	after, err := take(ctx, e.agentSignature(t.Agent), settleMessage(t, t.State))
	if err != nil {
		return err
	}
	if after.Commit == seen {
		_, err := e.Store.ConfirmTurn(ctx, TurnConfirmation{Turn: t.ID, After: after.Commit})
		e.announce(t.Chat)
		return err
	}
	err = e.untilBaselineHolds(ctx, t.Chat, func(wt Worktree) error {
		delta, share, err := e.delta(ctx, wt, t.Before, after.Commit, Contribution{Agent: t.Agent, Turn: t.ID})
		if err != nil {
			return err
		}
		c := TurnConfirmation{Turn: t.ID, After: after.Commit, Delta: delta}
		if len(delta.Insert)+len(delta.Retire) > 0 {
			c.Notice = fmt.Sprintf("the list of changed files above was not complete: a look at all files found %d changed by this turn; what is pending is right now%s", len(share), doubt)
		}
		_, err = e.Store.ConfirmTurn(ctx, c)
		return err
	})
	e.announce(t.Chat)
	return err
}

// confirmLeft confirms what a boo that died left of a chat. What was written since
// cannot be told from what the agent wrote, which is said. The chat's lock is held.
func (e *Engine) confirmLeft(ctx context.Context, chat ChatID) error {
	turns, err := e.Store.ProvisionalTurns(ctx, "", chat)
	if err != nil {
		return err
	}
	for _, t := range turns {
		wt, err := e.Store.Worktree(ctx, chat)
		if err != nil {
			return err
		}
		if wt.State != WorktreeActive || e.Trees.Verify(ctx, wt) != nil {
			_, err = e.Store.ConfirmTurn(ctx, TurnConfirmation{
				Turn: t.ID, After: t.After, Notice: "the worktree is gone, so the list of changed files above could not be compared with it again",
			})
		} else {
			doubt := fmt.Sprintf("; that look came late, so what anybody wrote there since the turn ended counts as %s's", t.Agent)
			err = e.confirm(ctx, wt, t, e.again(wt), t.After, doubt)
		}
		if err != nil {
			return fmt.Errorf("compare the files of chat %s with what was seen of them: %w", chat, err)
		}
	}
	return nil
}

// confirmed returns when nothing is provisional any more in a repository or chat,
// "" for any: what is pending is then what the files say. It waits for who is
// at it, which takes as long as a look at all files, and else does it.
func (e *Engine) confirmed(ctx context.Context, repo RepoID, chat ChatID) error {
	var tick *time.Ticker
	for {
		turns, err := e.Store.ProvisionalTurns(ctx, repo, chat)
		if err != nil || len(turns) == 0 {
			return err
		}
		of := turns[0].Chat
		news := e.news(of)
		release, ok, err := e.Locks.TryLock(ChatLock(of))
		if err != nil {
			return err
		}
		if ok {
			err := e.confirmLeft(ctx, of)
			release()
			if err != nil {
				return err
			}
			continue
		}
		if tick == nil {
			tick = time.NewTicker(followEvery)
			defer tick.Stop()
		}
		select {
		case <-news:
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
