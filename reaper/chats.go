package reaper

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"boo/orchestrator"
)

// live are the states of worktrees that may have files.
var live = []orchestrator.WorktreeState{orchestrator.WorktreeCreating, orchestrator.WorktreeActive}

// chats goes through the chats that have worktrees, as many at a time as are
// judged at once.
func (p *pass) chats(ctx context.Context) error {
	if there, err := p.rooted(ctx); err != nil || !there {
		return err
	}
	for after := orchestrator.ChatID(""); ; {
		list, err := p.Rows.SweepChats(ctx, live, after, batch)
		if err != nil || len(list) == 0 {
			return err
		}
		after = list[len(list)-1].Worktree.Chat
		if err := p.someChats(ctx, list); err != nil {
			return err
		}
	}
}

// rooted reports whether the place of all worktrees is there. It is not before
// the first worktree; who finds it gone later, since a disk is not mounted, must
// not take all of them for lost: CodeUnverified.
func (p *pass) rooted(ctx context.Context) (bool, error) {
	info, err := os.Lstat(p.Archiver.Root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		list, err := p.Rows.SweepChats(ctx, live, "", 1)
		if err == nil && len(list) > 0 {
			err = orchestrator.Errorf(orchestrator.CodeUnverified, "%s, where worktrees are, is not there; nothing was judged by that", p.Archiver.Root)
		}
		return false, err
	case err != nil:
		return false, err
	case !info.IsDir():
		return false, orchestrator.Errorf(orchestrator.CodeUnverified, "%s, where worktrees are, is not a directory; nothing was judged by that", p.Archiver.Root)
	}
	return true, nil
}

func (p *pass) someChats(ctx context.Context, list []orchestrator.SweepChat) error {
	var due []orchestrator.SweepChat
	for _, c := range list {
		chat, dir := c.Worktree.Chat, string(c.Worktree.Dir)
		p.owned[chat] = true
		sub, err := p.subject(c)
		if err != nil {
			p.fail(chat, dir, err)
			continue
		}
		switch what, why := p.Rules.decide(p.now, sub); what {
		case undo:
			p.discard(ctx, c.Worktree, why)
		case lose:
			p.lose(ctx, c.Worktree, why)
		case retire:
			if h, is := p.held[string(chat)]; is && resting(p.now, h, c.UsedAt) && !p.req.All {
				p.seen[string(chat)] = true
				p.sweep.Counts[orchestrator.SweepHold]++
				continue
			}
			due = append(due, c)
		}
	}
	for _, group := range byRepo(due) {
		if err := p.retireAll(ctx, group); err != nil {
			p.fail("", string(group[0].Worktree.CommonDir), err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (p *pass) subject(c orchestrator.SweepChat) (subject, error) {
	sub := subject{SweepChat: c}
	_, err := os.Lstat(string(c.Worktree.Dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sub, err
	}
	sub.there = err == nil
	if c.Worktree.State == orchestrator.WorktreeCreating {
		sub.trace = p.Trees.Traces(c.Worktree)
	}
	return sub, nil
}

// byRepo splits chats by repository, in the order in which these first come.
func byRepo(list []orchestrator.SweepChat) (groups [][]orchestrator.SweepChat) {
	for _, c := range list {
		i := slices.IndexFunc(groups, func(g []orchestrator.SweepChat) bool { return g[0].Worktree.CommonDir == c.Worktree.CommonDir })
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

// discard removes what is there of a worktree that was never finished. Its chat
// makes it anew when it is needed.
func (p *pass) discard(ctx context.Context, wt orchestrator.Worktree, why string) {
	p.locked(ctx, wt, orchestrator.SweepClear, why, func() error { return p.Trees.Discard(ctx, wt) })
}

// lose writes down that a directory is gone.
func (p *pass) lose(ctx context.Context, wt orchestrator.Worktree, why string) {
	p.locked(ctx, wt, orchestrator.SweepLose, why, func() error {
		return p.Rows.MoveWorktree(ctx, wt.Chat, []orchestrator.WorktreeState{orchestrator.WorktreeActive}, orchestrator.WorktreeLost, why)
	})
}

// locked notes a decision about a worktree and carries it out, if nobody is at
// the chat, and if its row and its directory are as they were.
func (p *pass) locked(ctx context.Context, wt orchestrator.Worktree, action orchestrator.SweepAction, why string, do func() error) {
	step := orchestrator.SweepStep{Action: action, Chat: wt.Chat, Path: string(wt.Dir), Reason: why}
	if p.req.DryRun {
		p.note(ctx, step)
		return
	}
	_, errBefore := os.Lstat(string(wt.Dir))
	_, err := p.keeper.Locked(wt.Chat, func() error {
		state, _, err := p.Rows.Owns(ctx, wt.Chat)
		_, errNow := os.Lstat(string(wt.Dir))
		if err != nil || state != wt.State || (errBefore == nil) != (errNow == nil) {
			return err // somebody was faster
		}
		p.note(ctx, step)
		p.before(string(action))
		return do()
	})
	if err != nil {
		p.fail(wt.Chat, string(wt.Dir), err)
	}
}
