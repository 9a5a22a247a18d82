package reaper

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"boo/orchestrator"
)

// repositories looks after what boo has left in the books of each repository.
func (p *pass) repositories(ctx context.Context) error {
	repos, err := p.Rows.Repos(ctx)
	if err != nil {
		return err
	}
	for _, repo := range repos {
		if _, err := os.Lstat(string(repo.CommonDir)); err != nil {
			continue // moved, gone, or not mounted now: it is looked after when it is back
		}
		for _, look := range []func(context.Context, orchestrator.Repo) error{p.registrations, p.debris, p.unreleased} {
			if err := look(ctx, repo); err != nil {
				p.fail("", string(repo.CommonDir), err)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// registrations removes those whose directory is gone and whose chat has none.
func (p *pass) registrations(ctx context.Context, repo orchestrator.Repo) error {
	if there, err := p.rooted(ctx); err != nil || !there {
		return err
	}
	list, err := p.Trees.Registered(ctx, repo.CommonDir, p.Archiver.Root)
	if err != nil {
		return err
	}
	for _, wt := range list {
		if _, err := os.Lstat(string(wt.Dir)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if _, err := os.Lstat(p.Archiver.plan(wt.Chat)); !errors.Is(err, fs.ErrNotExist) {
			continue // on its way
		}
		step := orchestrator.SweepStep{Action: orchestrator.SweepClear, Chat: wt.Chat, Path: string(wt.Dir), Reason: "git had it registered, but its directory is gone"}
		free, err := p.keeper.Locked(wt.Chat, func() error {
			state, spare, err := p.Rows.Owns(ctx, wt.Chat)
			if err != nil || spare || state != "" && state != orchestrator.WorktreeArchived && state != orchestrator.WorktreePurged {
				return err
			}
			p.note(ctx, step)
			if p.req.DryRun {
				return nil
			}
			return p.Trees.Unregister(ctx, wt)
		})
		if err != nil && free {
			p.fail(wt.Chat, string(wt.Dir), err)
		}
	}
	return nil
}

// debris removes what commands that died have left.
func (p *pass) debris(ctx context.Context, repo orchestrator.Repo) error {
	if p.Rules.since(p.now, p.now.Steady) < p.Rules.Grace {
		return nil // the times of files mean nothing yet
	}
	found, err := p.Trees.Debris(ctx, repo.CommonDir, p.now.Wall.Add(-p.Rules.Grace), p.req.DryRun)
	if len(found) > 0 {
		p.note(ctx, orchestrator.SweepStep{
			Action: orchestrator.SweepClear, Path: string(repo.CommonDir), Reason: "a command that died left " + strings.Join(found, ", "),
		})
	}
	return err
}

// unreleased lets go of the refs of archives that ended, where that was cut off.
func (p *pass) unreleased(ctx context.Context, repo orchestrator.Repo) error {
	chats, err := p.Trees.Chats(ctx, repo.CommonDir)
	if err != nil {
		return err
	}
	for _, chat := range chats {
		if p.owned[chat] {
			continue
		}
		state, _, err := p.Rows.Owns(ctx, chat)
		if err != nil {
			return err
		}
		if state != orchestrator.WorktreePurged || p.req.DryRun {
			continue
		}
		if _, err := p.keeper.Locked(chat, func() error { return p.Trees.Release(ctx, repo.CommonDir, chat) }); err != nil {
			p.fail(chat, string(repo.CommonDir), err)
		}
	}
	return nil
}
