package orchestrator

import (
	"context"
	"strings"
	"time"
)

const (
	// forgetTime bounds how long agents are asked to delete sessions.
	forgetTime = time.Minute
	// forgetFor is how long an agent that fails to delete a session is asked
	// again.
	forgetFor = 30 * 24 * time.Hour
)

// RemoveChat removes a chat; see [Closing].
func (e *Engine) RemoveChat(ctx context.Context, ref ChatRef, opts CloseOptions) (ClosedChat, error) {
	chat, err := e.resolve(ctx, ref)
	if err != nil {
		return ClosedChat{}, err
	}
	done, err := e.remove(ctx, chat.ID, opts)
	if err != nil {
		return done, err
	}
	e.clearArchived()
	done.Sessions, err = e.deleteForgotten(ctx, chat.ID, opts.Environ)
	return done, err
}

func (e *Engine) remove(ctx context.Context, chat ChatID, opts CloseOptions) (ClosedChat, error) {
	release, err := e.seize(ctx, chat)
	if err != nil {
		return ClosedChat{Chat: chat}, err
	}
	defer release()
	if done, err := e.refuseArchived(ctx, chat, opts); err != nil {
		return done, err
	}
	opts.KeepWorktree = false
	done, err := e.close(ctx, chat, opts, "boo chat rm --force")
	if err != nil {
		return done, err
	}
	done.Already = false
	c, err := e.Store.Chat(ctx, chat)
	if err != nil {
		return done, err
	}
	if c.State == ChatArchived {
		done.Already = true
		return done, nil
	}
	// From here on it is decided, whoever asked.
	err = e.Store.MoveChat(context.WithoutCancel(ctx), ChatMove{Chat: chat, From: []ChatState{ChatClosed}, To: ChatArchived, Notice: "the chat was removed"})
	e.announce(chat)
	return done, err
}

// refuseArchived refuses to remove a chat of which only snapshots are left, with
// work in them that is nowhere else, unless that is forced: the archive of a chat
// that was removed ends when its time has come, whatever is in it.
func (e *Engine) refuseArchived(ctx context.Context, chat ChatID, opts CloseOptions) (ClosedChat, error) {
	done := ClosedChat{Chat: chat}
	wt, err := e.Store.Worktree(ctx, chat)
	if err != nil || opts.Force || wt.State != WorktreeArchived && wt.State != WorktreeLost {
		return done, err
	}
	if c, err := e.Store.Chat(ctx, chat); err != nil || c.State == ChatArchived {
		return done, err // it is removed
	}
	of := e.risksOfChats(ctx, []Worktree{wt})[chat]
	kept, err := e.Trees.KeptRisks(ctx, []Worktree{wt})
	if err != nil {
		of = append(of, unknown("its snapshots", err))
	}
	v := judged(wt, append(of, kept[chat]...))
	if v.State == RiskClean {
		return done, nil
	}
	done.Worktree = &Archived{Chat: chat, Dir: wt.Dir, Verdict: v}
	code := CodeAtRisk
	if v.State == RiskUnverified {
		code = CodeUnverified
	}
	var reasons []string
	for _, r := range v.Risks {
		reasons = append(reasons, r.Detail)
	}
	return done, Errorf(code, "chat %s was not removed, since its archive would end some day: %s", chat, strings.Join(reasons, "; ")).
		WithHint("boo worktree restore %s, or boo chat rm --force %s", chat, chat)
}

// DeleteForgottenSoon asks agents once more, in the background, to delete the
// sessions that they have not deleted when they were asked. It may start agents;
// the engine waits for it, and cuts it off, when it closes. For the daemon, when
// it starts: what fails is tried again the next time.
func (e *Engine) DeleteForgottenSoon() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.turns.Add(1)
	go func() {
		defer e.turns.Done()
		_, _ = e.deleteForgotten(e.life, "", nil) // each failure is on the list still
	}()
}

// deleteForgotten has agents delete what is on the list of forgotten sessions, of
// one chat unless it is "".
func (e *Engine) deleteForgotten(ctx context.Context, chat ChatID, environ []string) ([]DeletedSession, error) {
	list, err := e.Store.Forgotten(ctx, chat)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, forgetTime)
	defer cancel()
	var told []DeletedSession
	gone := map[string]bool{} // agents that share a store have the same one
	for _, f := range list {
		d := DeletedSession{Agent: f.Agent, Deleted: gone[f.NativeID]}
		settled := d.Deleted
		if !settled {
			d, settled = e.deleteSession(ctx, f, environ)
			told = append(told, d)
		}
		gone[f.NativeID] = d.Deleted
		if settled || e.Now().Sub(f.Since) > forgetFor {
			if err := e.Store.DropForgotten(context.WithoutCancel(ctx), f); err != nil {
				return told, err
			}
		}
	}
	return told, nil
}

// deleteSession asks an agent to delete a session. settled says that there is no
// use in asking again.
func (e *Engine) deleteSession(ctx context.Context, f ForgottenSession, environ []string) (d DeletedSession, settled bool) {
	d.Agent = f.Agent
	session, err := e.Store.Session(ctx, f.Chat, f.Agent)
	if err == nil {
		var wt Worktree
		if wt, err = e.Store.Worktree(ctx, f.Chat); err == nil {
			d.Deleted, err = e.Agents.Forget(ctx, ForgetRequest{
				Chat: f.Chat, Agent: f.Agent, NativeID: f.NativeID, Dir: wt.Dir, Caps: session.Caps, Environ: environ,
			})
		}
	}
	switch {
	case err != nil:
		d.Kept = err.Error() + "; it is asked again when boo's daemon starts"
	case !d.Deleted:
		d.Kept = "it cannot be asked to delete sessions"
	}
	return d, err == nil
}
