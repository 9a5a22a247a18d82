package orchestrator

import "context"

// Chats lists chats; see [Service.Chats].
func (e *Engine) Chats(ctx context.Context, req ChatsRequest) ([]ChatSummary, error) {
	if req.All {
		return e.Store.Chats(ctx, ChatQuery{Brief: req.Brief})
	}
	repo, ok, err := e.repoOf(ctx, req.Dir)
	if err != nil || !ok {
		return nil, err
	}
	return e.Store.Chats(ctx, ChatQuery{Repo: repo.ID, Shown: true, Brief: req.Brief})
}

// repoOf finds the repository that dir is in; ok is false if boo has not been
// used in it yet.
func (e *Engine) repoOf(ctx context.Context, dir string) (Repo, bool, error) {
	c, err := e.checkout(ctx, dir)
	if err != nil {
		return Repo{}, false, err
	}
	repo, err := e.Store.RepoByDir(ctx, c.CommonDir)
	if err != nil {
		if CodeOf(err) == CodeNotFound {
			return Repo{}, false, nil
		}
		return Repo{}, false, err
	}
	return repo, true, nil
}

// Chat shows one chat; see [Service.Chat].
func (e *Engine) Chat(ctx context.Context, ref ChatRef) (ChatDetail, error) {
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return ChatDetail{}, err
	}
	d := ChatDetail{ChatSummary: chat}
	if d.Repo, err = e.Store.Repo(ctx, chat.Chat.Repo); err != nil {
		return d, err
	}
	if d.TurnList, err = e.Store.Turns(ctx, chat.ID); err != nil {
		return d, err
	}
	d.Sessions, err = e.Store.Sessions(ctx, chat.ID)
	return d, err
}

// Log lists a chat's events; see [Service.Log].
func (e *Engine) Log(ctx context.Context, ref ChatRef, after Seq, limit int) ([]Event, error) {
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	return e.Store.Events(ctx, chat.ID, "", max(after, chat.LogAfter), limit)
}

// ClearedLog lists what a log no longer shows; see [Service.ClearedLog].
func (e *Engine) ClearedLog(ctx context.Context, ref ChatRef, after Seq, limit int) ([]Event, error) {
	chat, err := e.resolve(ctx, ref)
	if err != nil || after >= chat.LogAfter {
		return nil, err
	}
	if rest := int(chat.LogAfter - after); limit == 0 || limit > rest { // numbers have no gaps
		limit = rest
	}
	return e.Store.Events(ctx, chat.ID, "", after, limit)
}
