package orchestrator

import "context"

// Apply writes the selected changes into the checkout; see [Service.Apply].
func (e *Engine) Apply(ctx context.Context, sel ChangeSelector, opts ApplyOptions) (ApplyResult, error) {
	wt, s, err := e.ofOneChat(ctx, sel, "apply")
	if err != nil || len(s.changes) == 0 {
		return ApplyResult{Chat: s.chat, Checkout: s.checkout.Dir}, err
	}
	plan, err := e.checksOf(ctx, wt.Repo, s.checkout, opts.Checks)
	if err != nil {
		return ApplyResult{Chat: s.chat, Checkout: s.checkout.Dir}, err
	}
	req := ApplyRequest{Worktree: wt, Checkout: s.checkout, Changes: s.changes, Options: opts}
	if len(plan.checks) > 0 {
		return e.applyChecked(ctx, req, plan)
	}
	result, err := e.Pending.Apply(ctx, req)
	e.clearApplied()
	result.Unchecked = plan.skipped
	return result, err
}

// Hunks cuts the selected changes into pieces; see [Service.Hunks].
func (e *Engine) Hunks(ctx context.Context, sel ChangeSelector) ([]ChangeHunks, error) {
	wt, s, err := e.ofOneChat(ctx, sel, "apply")
	if err != nil || len(s.changes) == 0 {
		return nil, err
	}
	return e.Pending.Hunks(ctx, wt, s.changes)
}

// Dangers tells which changes of a set are refused; see [Service.Dangers].
func (e *Engine) Dangers(ctx context.Context, set ChangeSet) (map[Path]PathConflict, error) {
	wt, err := e.Store.Worktree(ctx, set.Chat.ID)
	if err != nil {
		return nil, err
	}
	list, err := e.Pending.Dangers(ctx, wt, set.Changes)
	found := make(map[Path]PathConflict, len(list))
	for _, d := range list {
		found[d.Path] = d
	}
	return found, err
}

// ofOneChat selects changes of one chat, for what can only be done to those.
func (e *Engine) ofOneChat(ctx context.Context, sel ChangeSelector, verb string) (Worktree, selection, error) {
	if sel.All {
		return Worktree{}, selection{}, Errorf(CodeInvalid, "%s takes the changes of one chat at a time", verb).WithHint("boo pending %s -c CHAT", verb)
	}
	s, err := e.selectChanges(ctx, sel)
	if err != nil || len(s.changes) == 0 {
		return Worktree{}, s, err
	}
	wt, err := e.Store.Worktree(ctx, s.chat)
	return wt, s, err
}

// Reject takes the selected changes out of the chat's worktree; see
// [Service.Reject]. What the person edited there is recorded first, and the
// selection is of what is pending then.
func (e *Engine) Reject(ctx context.Context, sel ChangeSelector, opts RejectOptions) (ApplyResult, error) {
	_, s, err := e.ofOneChat(ctx, sel, "reject")
	if err != nil || len(s.changes) == 0 {
		return ApplyResult{Chat: s.chat, Kind: KindReject}, err
	}
	waiting := opts.Waiting
	if waiting == nil {
		waiting = func() {}
	}
	release, err := e.Locks.Lock(ctx, ChatLock(s.chat), waiting)
	if err != nil {
		return ApplyResult{Chat: s.chat, Kind: KindReject}, err
	}
	defer release()
	if _, err := e.ensureWorktree(ctx, Turn{Chat: s.chat}, nil); err != nil {
		return ApplyResult{Chat: s.chat, Kind: KindReject}, err
	}
	if err := e.confirmLeft(ctx, s.chat); err != nil {
		return ApplyResult{Chat: s.chat, Kind: KindReject}, err
	}
	if err := e.Pending.CatchUp(ctx, s.chat); err != nil {
		return ApplyResult{Chat: s.chat, Kind: KindReject}, err
	}
	wt, s, err := e.ofOneChat(ctx, sel, "reject")
	if err != nil || len(s.changes) == 0 {
		return ApplyResult{Chat: s.chat, Kind: KindReject}, err
	}
	defer e.clearApplied()
	return e.Pending.Reject(ctx, RejectRequest{Worktree: wt, Origin: s.checkout.Dir, Changes: s.changes, Options: opts})
}

// Undo takes back the last apply or reject; see [Service.Undo].
func (e *Engine) Undo(ctx context.Context, dir string, waiting func()) (ApplyResult, error) {
	c, err := e.checkout(ctx, dir)
	if err != nil {
		return ApplyResult{}, err
	}
	repo, err := e.Store.RepoByDir(ctx, c.CommonDir)
	if CodeOf(err) == CodeNotFound && err != nil {
		return ApplyResult{}, Errorf(CodeNotFound, "there is nothing to undo: no agent has worked on %s yet", c.Dir).
			WithHint(`boo chat send "what you want done"`)
	}
	if err != nil {
		return ApplyResult{}, err
	}
	defer e.clearApplied()
	return e.Pending.Undo(ctx, UndoRequest{Repo: repo.ID, Checkout: c, Waiting: waiting})
}

// clearApplied removes what applies of many files have left for afterwards. What
// is left of it when the engine closes, the next one to recover goes on with.
func (e *Engine) clearApplied() {
	e.aside(func(ctx context.Context) { _ = e.Pending.Clear(ctx) })
}
