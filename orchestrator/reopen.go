package orchestrator

import "context"

// ReopenChat opens a chat again; see [Closing].
func (e *Engine) ReopenChat(ctx context.Context, ref ChatRef) (ReopenedChat, error) {
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return ReopenedChat{}, err
	}
	done := ReopenedChat{Chat: chat.ID, Worktree: chat.Worktree.State, Dir: chat.Worktree.Dir}
	switch {
	case chat.State == ChatOpen:
		done.Already = true
		return done, nil
	case chat.Worktree.State == WorktreePurged:
		return done, purged(chat.ID)
	case chat.State == ChatClosing:
		release, err := e.seize(ctx, chat.ID)
		if err != nil {
			return done, err
		}
		defer release()
		if _, err := e.settleClosing(ctx, chat.ID); err != nil {
			return done, err
		}
		if c, err := e.Store.Chat(ctx, chat.ID); err != nil || c.State == ChatOpen {
			return done, err
		}
	}
	err = e.Store.MoveChat(ctx, ChatMove{
		Chat: chat.ID, From: []ChatState{ChatClosed, ChatArchived}, To: ChatOpen, Notice: "the chat was " + chat.State.Words() + "; it is open again",
	})
	e.announce(chat.ID)
	return done, err
}

// purged is the error of a chat that nothing brings back any more.
func purged(chat ChatID) error {
	return Errorf(CodeInvalid, "the files and snapshots of chat %s were kept for their time, and are gone; its log is there still", chat).
		WithHint("boo chat log %s, or boo chat send --new …", chat)
}
