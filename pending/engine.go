package pending

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"boo/orchestrator"
)

// Engine keeps the pending sets of chats. It holds no state of its own; its
// methods may be called concurrently, also by several processes. It satisfies
// [orchestrator.Pending].
type Engine struct {
	git   Git
	store Store
	locks orchestrator.Locks
	now   func() time.Time
	// mark is told each step before it is taken. Tests die there.
	mark func(step string)
}

var _ orchestrator.Pending = (*Engine)(nil)

// New returns an engine that reads and writes through the given ports.
func New(git Git, store Store, locks orchestrator.Locks) *Engine {
	return &Engine{git: git, store: store, locks: locks, now: time.Now, mark: func(string) {}}
}

// Delta implements [orchestrator.Pending]. It is computed against wt.Baseline
// and the rows that are pending now. A path of the difference that is in
// nobody's share and has no row yet gets a row without contributors.
func (e *Engine) Delta(ctx context.Context, wt orchestrator.Worktree, newest orchestrator.ObjectID, share []orchestrator.FileChange, by orchestrator.Contribution) (orchestrator.ChangeDelta, error) {
	rows, err := e.pendingRows(ctx, wt.Chat)
	if err != nil {
		return orchestrator.ChangeDelta{}, err
	}
	diff, err := e.git.Diff(ctx, wt.CommonDir, wt.Baseline, newest)
	if err != nil {
		return orchestrator.ChangeDelta{}, fmt.Errorf("compare baseline and snapshot: %w", err)
	}
	insert, retire := step{rows: rows, diff: diff, share: share, by: by, now: e.now()}.delta()
	for i := range insert {
		insert[i].Chat = wt.Chat
	}
	return orchestrator.ChangeDelta{Chat: wt.Chat, Baseline: wt.Baseline, Insert: insert, Retire: retire}, nil
}

func (e *Engine) pendingRows(ctx context.Context, chat orchestrator.ChatID) ([]orchestrator.Change, error) {
	rows, err := e.store.Changes(ctx, orchestrator.ChangeQuery{Chat: chat, States: []orchestrator.ChangeState{orchestrator.ChangePending}})
	if err != nil {
		return nil, fmt.Errorf("list pending changes: %w", err)
	}
	return rows, nil
}

// lockName names the lock of a checkout: one apply or undo at a time writes
// there.
func lockName(dir orchestrator.CheckoutDir) string { return "apply-" + checkoutKey(dir) }

// lockOf names the lock under which a record's files are written: a reject
// writes where the chat's agents do.
func lockOf(a orchestrator.Apply) string {
	if a.Kind == orchestrator.KindReject {
		return orchestrator.ChatLock(a.Chat)
	}
	return lockName(a.Checkout)
}

// checkoutKey is a short name of a checkout that is fit for file names.
func checkoutKey(dir orchestrator.CheckoutDir) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:8])
}
