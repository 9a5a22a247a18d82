package orchestrator

import (
	"context"
	"fmt"
)

// prepare makes sure of the worktree and records how it stands before the
// turn. What differs from the snapshot before is the person's work, or that of
// a turn whose own end could not be recorded. environ is the person's, for what
// has to be set up.
func (e *Engine) prepare(ctx context.Context, t Turn, environ []string) (Worktree, Snapshot, error) {
	wt, err := e.ensureWorktree(ctx, t)
	if err != nil {
		return wt, Snapshot{}, err
	}
	if err := e.setUp(ctx, t, wt, environ); err != nil {
		return wt, Snapshot{}, err
	}
	if err := e.Pending.Settle(ctx, wt); err != nil {
		return wt, Snapshot{}, err
	}
	if err := e.confirmLeft(ctx, t.Chat); err != nil {
		return wt, Snapshot{}, err
	}
	by, err := e.owedTo(ctx, t)
	if err != nil {
		return wt, Snapshot{}, err
	}
	from, err := e.newest(ctx, wt)
	if err != nil {
		return wt, Snapshot{}, err
	}
	var who Signature
	if by.Agent != Person {
		who = e.agentSignature(by.Agent)
	}
	who.When = e.Now()
	before, err := e.Trees.SnapshotChanges(ctx, wt, who, fmt.Sprintf("boo: before turn %d of chat %s\n\nBoo-Turn: %s\n", t.Number, t.Chat, t.ID))
	if err != nil {
		return wt, before, err
	}
	err = e.untilBaselineHolds(ctx, t.Chat, func(wt Worktree) error {
		delta, _, err := e.delta(ctx, wt, from, before.Commit, by)
		if err != nil {
			return err
		}
		return e.Store.SetBefore(ctx, t.ID, before.Commit, delta)
	})
	return wt, before, err
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

// owedTo says whose work it is that the newest snapshot does not have.
func (e *Engine) owedTo(ctx context.Context, t Turn) (Contribution, error) {
	turns, err := e.Store.Turns(ctx, t.Chat)
	return owed(turns, t), err
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
