package reaper

import (
	"context"
	"fmt"
	"slices"

	"boo/orchestrator"
)

// archived are the states in which only snapshots are left.
var archived = []orchestrator.WorktreeState{orchestrator.WorktreeArchived, orchestrator.WorktreeLost}

// archives ends those that were kept for long enough, and then the oldest ones
// until all that is left has room. What would be lost for good is never ended,
// unless its chat was removed.
func (p *pass) archives(ctx context.Context) error {
	var young []orchestrator.SweepChat
	for after := orchestrator.ChatID(""); ; {
		list, err := p.Rows.SweepChats(ctx, archived, after, batch)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			break
		}
		after = list[len(list)-1].Worktree.Chat
		var due []orchestrator.SweepChat
		for _, c := range list {
			switch {
			case c.Busy:
			case p.Rules.expired(p.now, c):
				due = append(due, c)
			case p.Rules.Disk > 0 && c.Worktree.State == orchestrator.WorktreeArchived && ends(c):
				young = append(young, c)
			}
		}
		p.purgeAll(ctx, due, "it was archived for longer than archives are kept")
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return p.makeRoom(ctx, young)
}

// makeRoom ends archives, the oldest first, until what boo has made fits.
func (p *pass) makeRoom(ctx context.Context, young []orchestrator.SweepChat) error {
	if p.Rules.Disk == 0 {
		return nil
	}
	sizes, err := p.Rows.Sizes(ctx) // as far as they were measured
	if err != nil {
		return err
	}
	taken := int64(0)
	for chat := range p.owned {
		taken += sizes[chat].Bytes + sizes[chat].Snapshots
	}
	for _, c := range young {
		taken += sizes[c.Worktree.Chat].Snapshots
	}
	slices.SortFunc(young, func(a, b orchestrator.SweepChat) int { return a.ArchivedAt.Compare(b.ArchivedAt) })
	for _, c := range young {
		if taken <= p.Rules.Disk || ctx.Err() != nil {
			break
		}
		why := fmt.Sprintf("boo takes %s of the disk, and may take %s; it was the oldest archive", orchestrator.Bytes(taken), orchestrator.Bytes(p.Rules.Disk))
		if p.purgeAll(ctx, []orchestrator.SweepChat{c}, why) > 0 {
			taken -= sizes[c.Worktree.Chat].Snapshots
		}
	}
	return ctx.Err()
}

// purgeAll ends archives, and returns how many: not those that hold what is
// nowhere else.
func (p *pass) purgeAll(ctx context.Context, list []orchestrator.SweepChat, why string) (ended int) {
	for _, group := range byRepo(list) {
		var wts []orchestrator.Worktree
		for _, c := range group {
			wts = append(wts, c.Worktree)
		}
		risks, err := p.Trees.KeptRisks(ctx, wts)
		if err != nil {
			p.fail("", string(wts[0].CommonDir), err)
			continue
		}
		for _, c := range group {
			chat := c.Worktree.Chat
			of := risks[chat]
			if c.State == orchestrator.ChatArchived {
				of = nil // it was removed by a person who was told
			} else if c.Pending > 0 {
				of = append(of, orchestrator.Risk{Kind: orchestrator.RiskPending, Detail: fmt.Sprintf("%d pending changes in its archive", c.Pending), Count: c.Pending})
			}
			if len(of) > 0 {
				p.hold(ctx, orchestrator.RiskVerdict{Chat: chat, Dir: c.Worktree.Dir, State: orchestrator.RiskAtRisk, Risks: of})
				continue
			}
			if p.purge(ctx, c, why) {
				ended++
			}
		}
	}
	return ended
}

// purge ends one archive: the row says so first, so that whoever is cut off is
// finished by the next sweep.
func (p *pass) purge(ctx context.Context, c orchestrator.SweepChat, why string) (ended bool) {
	wt := c.Worktree
	step := orchestrator.SweepStep{Action: orchestrator.SweepPurge, Chat: wt.Chat, Path: string(wt.Dir), Reason: why}
	if p.req.DryRun {
		p.note(ctx, step)
		return true
	}
	_, err := p.keeper.Locked(wt.Chat, func() error {
		now, err := p.Rows.SweepChats(ctx, archived, justBefore(wt.Chat), 1)
		if err != nil || len(now) == 0 || now[0].Worktree.Chat != wt.Chat || now[0].Busy || now[0].Pending != c.Pending ||
			now[0].State != c.State || now[0].Worktree.State != wt.State || !now[0].ArchivedAt.Equal(c.ArchivedAt) {
			return err // it was used meanwhile
		}
		p.note(ctx, step)
		p.before("purge")
		if err := p.Rows.MoveWorktree(ctx, wt.Chat, archived, orchestrator.WorktreePurged, why); err != nil {
			return err
		}
		ended = true
		p.before("release")
		return p.Trees.Release(ctx, wt.CommonDir, wt.Chat)
	})
	if err != nil {
		p.fail(wt.Chat, string(wt.Dir), err)
	}
	return ended
}
