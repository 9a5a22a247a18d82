package orchestrator

import (
	"context"
	"slices"
)

// withLeftOut adds to the sets what snapshots had to leave out, and a set for
// each chat of the selection where that is all there is to say.
func (e *Engine) withLeftOut(ctx context.Context, sel ReviewSelector, sets []ChangeSet) ([]ChangeSet, error) {
	if !sel.LeftOut || sel.Turn != "" || sel.Agent != "" || len(sel.Args) > 0 {
		return sets, nil
	}
	chats, err := e.chatsIn(ctx, sel)
	if err != nil {
		return nil, err
	}
	ids := make([]ChatID, len(chats))
	for i, chat := range chats {
		ids[i] = chat.ID
	}
	left, err := e.Store.LeftOut(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, chat := range chats {
		if len(left[chat.ID]) == 0 {
			continue
		}
		at := slices.IndexFunc(sets, func(s ChangeSet) bool { return s.Chat.ID == chat.ID })
		if at < 0 {
			at = len(sets)
			sets = append(sets, ChangeSet{Chat: chat, Last: i == 0 && !sel.Everywhere, From: chat.Worktree.Baseline})
		}
		sets[at].LeftOut = left[chat.ID]
	}
	return sets, nil
}

// chatsIn lists the chats that a selection is about.
func (e *Engine) chatsIn(ctx context.Context, sel ReviewSelector) ([]ChatSummary, error) {
	switch {
	case sel.Everywhere:
		return e.Store.Chats(ctx, ChatQuery{Shown: true})
	case sel.Chat != "":
		chat, err := e.resolve(ctx, ChatRef{Dir: sel.Dir, Prefix: sel.Chat})
		return []ChatSummary{chat}, err
	}
	c, err := e.checkout(ctx, sel.Dir)
	if err != nil {
		return nil, err
	}
	repo, err := e.Store.RepoByDir(ctx, c.CommonDir)
	if CodeOf(err) == CodeNotFound && err != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return e.Store.Chats(ctx, ChatQuery{Repo: repo.ID, Shown: true})
}
