package reaper

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"boo/orchestrator"
)

// leftovers forgets what is only of use for some time: how checks ended, and
// what agents were told in files.
func (p *pass) leftovers(ctx context.Context) error {
	if err := p.private(ctx); err != nil {
		return err
	}
	keep := p.Rules.Retention
	if keep == 0 || p.req.DryRun || age(p.now, p.now.Steady) < keep {
		return nil
	}
	dropped, err := p.Rows.DropChecks(ctx, p.now.Wall.Add(-keep))
	if err != nil {
		return err
	}
	if dropped > 0 {
		p.note(ctx, orchestrator.SweepStep{Action: orchestrator.SweepClear, Reason: fmt.Sprintf("%d results of checks were too old", dropped)})
	}
	return p.histories(ctx)
}

// private removes what boo's git has had of chats of which nothing is on record.
func (p *pass) private(ctx context.Context) error {
	files, err := p.Trees.Private()
	if err != nil {
		return err
	}
	for chat, since := range files {
		if p.owned[chat] || p.Rules.since(p.now, since) < p.Rules.Grace {
			continue
		}
		step := orchestrator.SweepStep{Action: orchestrator.SweepClear, Chat: chat, Reason: "no chat is on record to which these private files of git belong"}
		_, err := p.keeper.Locked(chat, func() error {
			if state, spare, err := p.Rows.Owns(ctx, chat); err != nil || spare || state != "" {
				return err
			}
			p.note(ctx, step)
			if p.req.DryRun {
				return nil
			}
			return p.Trees.DropPrivate(chat)
		})
		if err != nil {
			p.fail(chat, "", err)
		}
	}
	return nil
}

// histories removes the files that agents were told to read, long after.
func (p *pass) histories(ctx context.Context) error {
	if p.Histories == "" {
		return nil
	}
	dirs, err := os.ReadDir(p.Histories)
	if err != nil {
		return gone(err)
	}
	for _, entry := range dirs {
		chat, err := orchestrator.ParseChatID(entry.Name())
		if err != nil || !entry.IsDir() {
			continue
		}
		dir := filepath.Join(p.Histories, entry.Name())
		_, err = p.keeper.Locked(chat, func() error {
			newest, err := newestIn(dir)
			if err != nil || age(p.now, newest) < p.Rules.Retention {
				return err
			}
			p.note(ctx, orchestrator.SweepStep{Action: orchestrator.SweepClear, Chat: chat, Path: dir, Reason: "what an agent was told in a file is too old"})
			return os.RemoveAll(dir)
		})
		if err != nil {
			p.fail(chat, dir, err)
		}
	}
	return nil
}

// newestIn is the time at which a file in a directory was last written.
func newestIn(dir string) (newest time.Time, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			newest = latest(newest, info.ModTime())
		}
		return gone(err)
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return newest, err
}
