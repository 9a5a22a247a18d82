package orchestrator

import (
	"context"
	"slices"
)

// Conflicts tells what collides; see [Service.Conflicts]. With a chat, only
// collisions that it has a part in are told.
func (e *Engine) Conflicts(ctx context.Context, sel ReviewSelector) ([]Collision, error) {
	var only ChatID
	if sel.Chat != "" {
		chat, err := e.resolve(ctx, ChatRef{Dir: sel.Dir, Prefix: sel.Chat})
		if err != nil {
			return nil, err
		}
		only = chat.ID
	}
	sel.Chat, sel.All = "", true
	sets, err := e.pendingSets(ctx, sel)
	if err != nil {
		return nil, err
	}
	var found []Collision
	for _, req := range byRepo(sets) {
		if req.Checkout, err = e.meetingPlace(ctx, sel, req.Sets[0].Worktree, sets); err != nil {
			return nil, err
		}
		some, err := e.Pending.Conflicts(ctx, req)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return slices.DeleteFunc(found, func(c Collision) bool {
		return only != "" && c.Change.Chat != only && (c.With == nil || c.With.Chat != only)
	}), nil
}

// byRepo makes one request for the chats of each repository.
func byRepo(sets []ChangeSet) []ConflictRequest {
	var reqs []ConflictRequest
	at := map[RepoID]int{}
	for _, s := range sets {
		repo := s.Chat.Chat.Repo
		if _, seen := at[repo]; !seen {
			at[repo] = len(reqs)
			reqs = append(reqs, ConflictRequest{})
		}
		req := &reqs[at[repo]]
		req.Sets = append(req.Sets, ConflictSet{Worktree: s.Chat.Worktree, Changes: s.Changes})
	}
	return reqs
}

// meetingPlace is the checkout to compare with: the one that the command runs
// in, or, of another repository, the main one. Where that is gone, or the
// repository is bare, the chats are compared with each other alone.
func (e *Engine) meetingPlace(ctx context.Context, sel ReviewSelector, wt Worktree, sets []ChangeSet) (Checkout, error) {
	if !sel.Everywhere {
		return e.checkout(ctx, sel.Dir)
	}
	if here, err := e.checkout(ctx, sel.Dir); err == nil && here.CommonDir == wt.CommonDir {
		return here, nil
	}
	for _, s := range sets {
		if s.Chat.ID != wt.Chat {
			continue
		}
		c, err := e.Trees.Checkout(ctx, string(s.Chat.RepoRoot))
		if err == nil && c.CommonDir == wt.CommonDir {
			return c, nil
		}
		if code := CodeOf(err); err != nil && code != CodeNotFound && code != CodeInvalid {
			return Checkout{}, err
		}
	}
	return Checkout{}, nil
}
