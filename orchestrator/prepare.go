package orchestrator

import (
	"context"
	"fmt"
)

// prepare makes sure of the worktree and records how it stands before the
// turn. What differs from the snapshot before is the person's work, or that of
// a turn whose own end could not be recorded. environ is the person's, for what
// has to be set up. The caller closes the watch, or keeps it.
func (e *Engine) prepare(ctx context.Context, t Turn, environ []string) (Worktree, Snapshot, TreeWatch, error) {
	wt, err := e.ensureWorktree(ctx, t, environ)
	if err != nil {
		return wt, Snapshot{}, nil, err
	}
	if err := e.setUp(ctx, t, wt, environ); err != nil {
		return wt, Snapshot{}, nil, err
	}
	if err := e.Pending.Settle(ctx, wt); err != nil {
		return wt, Snapshot{}, nil, err
	}
	if err := e.confirmLeft(ctx, t.Chat); err != nil {
		return wt, Snapshot{}, nil, err
	}
	before, watch, err := e.recordBefore(ctx, t, wt)
	return wt, before, watch, err
}

// recordBefore takes and stores the snapshot before a turn, and has the worktree
// watched from then on.
func (e *Engine) recordBefore(ctx context.Context, t Turn, wt Worktree) (before Snapshot, watch TreeWatch, err error) {
	last, err := e.lastBegun(ctx, t)
	if err != nil {
		return before, nil, err
	}
	by := owed([]Turn{last}, t)
	from, err := e.newest(ctx, wt)
	if err != nil {
		return before, nil, err
	}
	var who Signature
	if by.Agent != Person {
		who = e.agentSignature(by.Agent)
	}
	who.When = e.Now()
	before, watch, err = e.watchFrom(ctx, wt, who, fmt.Sprintf("boo: before turn %d of chat %s\n\nBoo-Turn: %s\n", t.Number, t.Chat, t.ID))
	if err != nil {
		return before, nil, err
	}
	err = e.untilBaselineHolds(ctx, t.Chat, func(wt Worktree) (err error) {
		// What was stored with the end of the last turn holds where its snapshot
		// is the newest still: an apply or reject since then has kept it so. And
		// where a chat begins as its base there is nothing yet.
		var delta ChangeDelta
		if before.Commit != last.After && !(before.AsBase && wt.Baseline == wt.Base) {
			delta, _, err = e.delta(ctx, wt, from, before.Commit, by)
		}
		if err != nil {
			return err
		}
		return e.Store.SetBefore(ctx, t.ID, before.Commit, delta)
	})
	if err != nil {
		_ = watch.Close() // nothing is lost with it
		return before, nil, err
	}
	return before, watch, nil
}

// watchFrom takes a snapshot and watches the worktree from there: with the watch
// of the turn before where there is one that can tell what has changed since,
// and else with one that gets ready while the agent thinks.
func (e *Engine) watchFrom(ctx context.Context, wt Worktree, who Signature, message string) (Snapshot, TreeWatch, error) {
	if watch := e.watches.take(wt); watch != nil {
		before, err := watch.SnapshotChanges(ctx, who, message)
		if err == nil {
			return before, watch, nil
		}
		_ = watch.Close() // nothing is lost with it
	}
	before, err := e.Trees.SnapshotChanges(ctx, wt, who, message)
	if err != nil {
		return before, nil, err
	}
	return before, e.Trees.Watch(ctx, wt), nil
}

// A person may apply changes while a turn begins, runs or ends.
const baselineTries = 5

// untilBaselineHolds computes and stores a delta, and does so again if the
// baseline moved in between.
func (e *Engine) untilBaselineHolds(ctx context.Context, chat ChatID, store func(Worktree) error) error {
	for try := 1; ; try++ {
		wt, err := e.Store.Worktree(ctx, chat)
		if err != nil {
			return err
		}
		if err = store(wt); err == nil || CodeOf(err) != CodeConflict || try == baselineTries {
			return err
		}
	}
}

// lastBegun returns the turn before this one that has a snapshot; the zero Turn
// if there is none.
func (e *Engine) lastBegun(ctx context.Context, t Turn) (Turn, error) {
	last, err := e.Store.LastTurn(ctx, TurnQuery{Chat: t.Chat, Before: t.Number, Begun: true})
	if CodeOf(err) == CodeNotFound {
		return Turn{}, nil
	}
	return last, err
}

// owed says whose work the snapshot before a turn records: that of the earlier
// turn whose own end could not be recorded, or else the person's.
func owed(turns []Turn, t Turn) Contribution {
	by := Contribution{Agent: Person, Turn: t.ID}
	for _, earlier := range turns {
		if earlier.Number >= t.Number || earlier.Before == "" {
			continue
		}
		by = Contribution{Agent: Person, Turn: t.ID}
		if earlier.After == "" {
			by = Contribution{Agent: earlier.Agent, Turn: earlier.ID}
		}
	}
	return by
}

// newest returns the commit that the next share is measured from.
func (e *Engine) newest(ctx context.Context, wt Worktree) (ObjectID, error) {
	head, err := e.Trees.Head(ctx, wt)
	if err == nil && head == "" {
		return wt.Base, nil
	}
	return head, err
}

// delta computes one contributor's share between two snapshots and what it
// does to the pending set.
func (e *Engine) delta(ctx context.Context, wt Worktree, from, to ObjectID, by Contribution) (ChangeDelta, []FileChange, error) {
	var share []FileChange
	if from != to {
		var err error
		if share, err = e.Trees.Diff(ctx, wt.CommonDir, from, to); err != nil {
			return ChangeDelta{}, nil, err
		}
	}
	delta, err := e.Pending.Delta(ctx, wt, to, share, by)
	return delta, share, err
}

func (e *Engine) agentSignature(name AgentName) Signature {
	return Signature{Name: string(name), Email: string(name) + "@agents.boo.invalid", When: e.Now()}
}
