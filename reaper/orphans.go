package reaper

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

// orphans goes through the directories in boo's root, as they are there, and
// looks for their owners.
func (p *pass) orphans(ctx context.Context) error {
	if there, err := p.rooted(ctx); err != nil || !there {
		return err
	}
	repos, err := os.ReadDir(p.Archiver.Root)
	if err != nil {
		return err
	}
	for _, repo := range repos {
		dir := filepath.Join(p.Archiver.Root, repo.Name())
		if dir == p.Archiver.trash() {
			p.orphansInTrash(ctx)
			continue
		}
		if _, err := orchestrator.ParseRepoID(repo.Name()); err != nil || !repo.IsDir() {
			p.strange(ctx, dir, "it is not boo's")
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			p.fail("", dir, err)
			continue
		}
		for _, entry := range entries {
			p.orphan(ctx, filepath.Join(dir, entry.Name()))
		}
		if len(entries) == 0 && !p.req.DryRun {
			_ = os.Remove(dir) // fails if something came meanwhile, as it should
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// draft ends the names of worktrees that are being restored.
const draft = ".restoring"

// orphan looks at one directory of a repository's worktrees.
func (p *pass) orphan(ctx context.Context, dir string) {
	name, drafted := strings.CutSuffix(filepath.Base(dir), draft)
	chat, err := orchestrator.ParseChatID(name)
	if err != nil {
		p.strange(ctx, dir, "it is not boo's, or was set aside by it")
		return
	}
	if p.owned[chat] && !drafted {
		return
	}
	state, spare, err := p.Rows.Owns(ctx, chat)
	switch {
	case err != nil:
		p.fail(chat, dir, err)
	case drafted:
		p.dropDraft(ctx, chat, dir)
	case spare:
	case state == orchestrator.WorktreeArchived, state == orchestrator.WorktreePurged:
		p.strange(ctx, dir, "the worktree of its chat is "+string(state)+", but this stands in its place; see: boo worktree restore "+string(chat))
	case state == "":
		p.adrift(ctx, chat, dir)
	}
}

// dropDraft removes a worktree that was half restored when a boo died. All of it
// comes from snapshots, and nobody has had it.
func (p *pass) dropDraft(ctx context.Context, chat orchestrator.ChatID, dir string) {
	step := orchestrator.SweepStep{Action: orchestrator.SweepClear, Chat: chat, Path: dir, Reason: "it was half restored, and nobody is at it"}
	if p.req.DryRun {
		p.note(ctx, step)
		return
	}
	_, err := p.keeper.Locked(chat, func() error {
		if err := p.Archiver.inside(dir); err != nil {
			return err
		}
		p.note(ctx, step)
		return os.RemoveAll(dir)
	})
	if err != nil {
		p.fail(chat, dir, err)
	}
}

// adrift archives a worktree that no row owns, as one of a chat, if it is surely
// boo's, out of use, and nothing is at risk in it. Its refs stay.
func (p *pass) adrift(ctx context.Context, chat orchestrator.ChatID, dir string) {
	if h, is := p.held[string(chat)]; is && resting(p.now, h, h.Checked) && !p.req.All {
		p.seen[string(chat)] = true
		p.sweep.Counts[orchestrator.SweepHold]++
		return
	}
	wt, err := p.Trees.Owner(ctx, dir)
	if err == nil && (wt.Chat != chat || string(wt.Dir) != dir) {
		err = orchestrator.Errorf(orchestrator.CodeUnverified, "it is registered as %s", wt.Dir)
	}
	if err != nil {
		p.strange(ctx, dir, err.Error())
		return
	}
	use, err := p.Trees.LastUse(ctx, wt)
	if err != nil || p.Rules.since(p.now, use) < p.Rules.Grace {
		return
	}
	verdicts, err := p.keeper.Judge(ctx, []orchestrator.Worktree{wt})
	switch {
	case err != nil:
		p.fail(chat, dir, err)
	case verdicts[0].State != orchestrator.RiskClean:
		p.hold(ctx, verdicts[0])
	default:
		p.removeAdrift(ctx, wt)
	}
}

func (p *pass) removeAdrift(ctx context.Context, wt orchestrator.Worktree) {
	step := orchestrator.SweepStep{
		Action: orchestrator.SweepClear, Chat: wt.Chat, Path: string(wt.Dir),
		Reason: "no chat owns it; its files are kept by refs/boo/chats/" + string(wt.Chat),
	}
	if p.req.DryRun {
		p.note(ctx, step)
		return
	}
	_, err := p.keeper.Locked(wt.Chat, func() error {
		state, spare, err := p.Rows.Owns(ctx, wt.Chat)
		if err != nil || spare || state != "" {
			return err // somebody's by now
		}
		p.note(ctx, step)
		_, err = p.Archiver.rowless().Archive(ctx, wt) // which compares the files once more
		return err
	})
	if err != nil {
		p.fail(wt.Chat, string(wt.Dir), err)
	}
}

// orphansInTrash brings back what was on its way when a boo died, and is no
// chat's: nothing would ever finish it.
func (p *pass) orphansInTrash(ctx context.Context) {
	chats, err := p.Archiver.Open()
	if err != nil {
		p.fail("", p.Archiver.trash(), err)
		return
	}
	for _, chat := range chats {
		state, _, err := p.Rows.Owns(ctx, chat)
		if err != nil || state != "" {
			continue // the settling of archives has seen to it
		}
		tree := string(p.Archiver.tree(chat))
		if _, err := os.Lstat(tree); err != nil {
			continue
		}
		wt, err := p.Trees.Owner(ctx, tree)
		if err == nil && wt.Chat != chat {
			err = orchestrator.Errorf(orchestrator.CodeUnverified, "it belongs to chat %s", wt.Chat)
		}
		if err != nil {
			p.strange(ctx, tree, err.Error())
			continue
		}
		p.bringBack(ctx, wt)
	}
}

func (p *pass) bringBack(ctx context.Context, wt orchestrator.Worktree) {
	step := orchestrator.SweepStep{Action: orchestrator.SweepSettle, Chat: wt.Chat, Path: string(wt.Dir), Reason: "it was on its way off the disk, but no chat owns it; it is back"}
	if p.req.DryRun {
		p.note(ctx, step)
		return
	}
	_, err := p.keeper.Locked(wt.Chat, func() error {
		if state, spare, err := p.Rows.Owns(ctx, wt.Chat); err != nil || spare || state != "" {
			return err
		}
		if err := p.Archiver.inside(filepath.Dir(string(wt.Dir))); err != nil {
			return err
		}
		p.note(ctx, step)
		return p.Archiver.rowless().takeBack(ctx, wt)
	})
	if err != nil {
		p.fail(wt.Chat, string(wt.Dir), err)
	}
}

// strange holds what boo cannot tell whose it is.
func (p *pass) strange(ctx context.Context, path, why string) {
	name, err := filepath.Rel(p.Archiver.Root, path)
	if err != nil {
		name = path
	}
	before, was := p.held[name]
	h := held(p.now, before, orchestrator.RiskVerdict{Risks: []orchestrator.Risk{{Kind: orchestrator.RiskUnknown, Detail: why}}})
	h.Name, h.Path = name, path
	p.seen[name] = true
	if was && before.Risks[0].Detail == why && !p.req.DryRun {
		p.sweep.Counts[orchestrator.SweepHold]++
	} else {
		p.note(ctx, orchestrator.SweepStep{Action: orchestrator.SweepHold, Path: path, Reason: Words(p.now.Wall, h.Risks)})
	}
	if p.req.DryRun {
		return
	}
	if err := p.Rows.PutHold(ctx, h); err != nil {
		p.fail("", path, err)
	}
}
