package orchestrator

import (
	"context"
	"errors"
	"time"
)

// How long an end of a chat waits for who works in it for a moment: a look at its
// risks, say; and for a turn of this engine's that is through but for its files, of
// which there may be many, on a slow disk.
const (
	closeWait = 5 * time.Second
	filesWait = 30 * time.Second
)

// CloseChat ends a chat; see [Closing].
func (e *Engine) CloseChat(ctx context.Context, ref ChatRef, opts CloseOptions) (ClosedChat, error) {
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return ClosedChat{}, err
	}
	release, err := e.seize(ctx, chat.ID)
	if err != nil {
		return ClosedChat{Chat: chat.ID}, err
	}
	defer release()
	done, err := e.close(ctx, chat.ID, opts, "boo chat close --force")
	if err == nil {
		e.clearArchived()
	}
	return done, err
}

// seize takes a chat's lock for more than a look. CodeBusy says who has it.
func (e *Engine) seize(ctx context.Context, chat ChatID) (release func(), err error) {
	release, free, err := e.Locks.TryLock(ChatLock(chat))
	if err != nil || free {
		return release, err
	}
	if err := e.occupied(ctx, chat); err != nil {
		return nil, err
	}
	release, err = e.outwait(ctx, chat)
	if errors.Is(err, context.DeadlineExceeded) {
		err = Errorf(CodeBusy, "somebody works in the worktree of chat %s; it was left alone", chat).WithHint("boo chat show %s", chat)
	}
	return release, err
}

// outwait takes the lock of a chat that somebody is at for a moment.
func (e *Engine) outwait(ctx context.Context, chat ChatID) (release func(), err error) {
	limit := closeWait
	if e.busyIn(chat) {
		limit = filesWait
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return e.Locks.Lock(ctx, ChatLock(chat), func() {})
}

// linger returns when a turn of this engine's that has just ended in a chat is
// through with its files. For nobody else it waits. The caller holds no chat's lock.
func (e *Engine) linger(ctx context.Context, chat ChatID) {
	release, free, err := e.Locks.TryLock(ChatLock(chat))
	if err == nil && !free && e.busyIn(chat) && e.occupied(ctx, chat) == nil {
		release, err = e.outwait(ctx, chat)
		free = err == nil
	}
	if free {
		release()
	}
}

// occupied tells what keeps a chat from being ended; nil if that is not known.
func (e *Engine) occupied(ctx context.Context, chat ChatID) error {
	c, err := e.Store.Chat(ctx, chat)
	if err != nil {
		return err
	}
	if c.State == ChatClosing {
		return Errorf(CodeBusy, "closing chat %s is already in progress", chat).WithHint("boo chat show %s", chat)
	}
	turns, err := e.Store.OpenTurns(ctx)
	if err != nil {
		return err
	}
	for _, t := range turns {
		if t.Chat == chat {
			return Errorf(CodeBusy, "turn %s of %s is %s in chat %s; the chat was left as it is", t.ID, t.Agent, t.State, chat).
				WithHint("boo chat stop --all %s", chat)
		}
	}
	return nil
}

// close closes a chat whose lock is held. again is the command that consents to
// what it refuses.
func (e *Engine) close(ctx context.Context, chat ChatID, opts CloseOptions, again string) (ClosedChat, error) {
	done := ClosedChat{Chat: chat}
	if _, err := e.settleClosing(ctx, chat); err != nil {
		return done, err
	}
	c, err := e.Store.Chat(ctx, chat)
	if err != nil {
		return done, err
	}
	if c.State != ChatOpen {
		done.Worktree, err = e.putAway(ctx, chat, opts, again)
		done.Already = done.Worktree == nil || done.Worktree.Already
		return done, err
	}
	if err := e.occupied(ctx, chat); err != nil {
		return done, err
	}
	if err := e.Store.MoveChat(ctx, ChatMove{Chat: chat, From: []ChatState{ChatOpen}, To: ChatClosing}); err != nil {
		return done, err
	}
	if err = e.Agents.Evict(ctx, chat, ""); err == nil {
		done.Worktree, err = e.putAway(ctx, chat, opts, again)
	}
	// What was decided is written down also if who asked has gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err != nil {
		return done, errors.Join(err, e.Store.MoveChat(ctx, ChatMove{Chat: chat, From: []ChatState{ChatClosing}, To: ChatOpen}))
	}
	return done, e.finishClosing(ctx, chat)
}

func (e *Engine) finishClosing(ctx context.Context, chat ChatID) error {
	err := e.Store.MoveChat(ctx, ChatMove{Chat: chat, From: []ChatState{ChatClosing}, To: ChatClosed, Notice: "the chat was closed"})
	e.announce(chat)
	return err
}

// putAway archives a chat's worktree, unless it shall stay or has no files; nil
// then.
func (e *Engine) putAway(ctx context.Context, chat ChatID, opts CloseOptions, again string) (*Archived, error) {
	if opts.KeepWorktree {
		return nil, nil
	}
	wt, err := e.Store.Worktree(ctx, chat)
	if err != nil || wt.State == WorktreeCreating || wt.State == WorktreeLost || wt.State == WorktreePurged {
		return nil, err
	}
	archived, err := e.archive(ctx, chat, consent{given: opts.Force, ask: again, abandons: true})
	return &archived, err
}

// recoverClosings settles the closing of chats that was cut off.
func (e *Engine) recoverClosings(ctx context.Context) ([]Recovery, error) {
	chats, err := e.Store.ClosingChats(ctx)
	if err != nil {
		return nil, err
	}
	var done []Recovery
	for _, chat := range chats {
		release, free, err := e.Locks.TryLock(ChatLock(chat))
		if err != nil || !free {
			continue // who closes it is alive, or who uses it next is told
		}
		r, err := e.settleClosing(ctx, chat)
		release()
		if err == nil && r != nil {
			done = append(done, *r)
		}
	}
	return done, nil
}

// settleClosing finishes a closing that was cut off if the worktree is archived,
// and takes it back otherwise. The chat's lock is held.
func (e *Engine) settleClosing(ctx context.Context, chat ChatID) (*Recovery, error) {
	c, err := e.Store.Chat(ctx, chat)
	if err != nil || c.State != ChatClosing {
		return nil, err
	}
	wt, err := e.Store.Worktree(ctx, chat)
	if err != nil {
		return nil, err
	}
	if err := e.Archives.Settle(ctx, wt); err != nil {
		return nil, err
	}
	if wt, err = e.Store.Worktree(ctx, chat); err != nil {
		return nil, err
	}
	if wt.State == WorktreeArchived {
		return &Recovery{Chat: chat, Message: "closing chat " + string(chat) + " was cut off; it is closed now"}, e.finishClosing(ctx, chat)
	}
	return &Recovery{Chat: chat, Message: "closing chat " + string(chat) + " was cut off; it is open as before"},
		e.Store.MoveChat(ctx, ChatMove{Chat: chat, From: []ChatState{ChatClosing}, To: ChatOpen})
}
