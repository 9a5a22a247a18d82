package orchestrator

import (
	"context"
	"time"
)

// TreeUsage is what a worktree takes, in bytes.
type TreeUsage struct {
	Bytes     int64 `json:"bytes"`          // on disk, its ignored files included
	Snapshots int64 `json:"snapshot_bytes"` // objects that only this chat keeps
	Dirs      int64 `json:"directories"`
}

// WorktreeInfo is one worktree as a list shows it. Fields of its JSON form are
// added over time, never renamed or removed.
type WorktreeInfo struct {
	Chat     ChatID        `json:"chat"`
	State    WorktreeState `json:"state"`
	Fault    string        `json:"fault,omitempty"` // why it cannot be used as it is
	Base     ObjectID      `json:"base"`
	Dir      WorktreeDir   `json:"dir"`
	Root     CheckoutDir   `json:"repository"`
	Created  time.Time     `json:"created"`
	LastUsed time.Time     `json:"last_used"`
	TreeSize
	// Stale says that the chat was used since it was measured, or that it never was.
	Stale bool `json:"stale,omitempty"`
	// ByGit tells of snapshots that git had to take.
	ByGit LeftToGit `json:"by_git,omitzero"`
}

// LeftToGit is what of a worktree's snapshots was not done in process.
type LeftToGit struct {
	Count int    `json:"count"` // since the worktree was made
	Why   string `json:"why"`   // of the newest one, for people
}

// WorktreeList lists worktrees; see [Service.WorktreeList].
func (e *Engine) WorktreeList(ctx context.Context, dir string, all bool) ([]WorktreeInfo, error) {
	chats, err := e.Chats(ctx, ChatsRequest{Dir: dir, All: all})
	if err != nil {
		return nil, err
	}
	sizes, err := e.Store.Sizes(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]WorktreeInfo, 0, len(chats))
	measuring, done := context.WithTimeout(ctx, listPatience)
	defer done()
	for _, c := range chats {
		wt := c.Worktree
		info := WorktreeInfo{
			Chat: c.ID, State: wt.State, Fault: wt.Reason, Base: wt.Base, Dir: wt.Dir, Root: c.RepoRoot,
			Created: wt.CreatedAt, LastUsed: c.LastUsedAt,
		}
		if wt.State != WorktreeCreating && wt.State != WorktreePurged {
			info.TreeSize = sizes[c.ID]
			if info.Stale = info.Measured.Before(c.LastUsedAt); info.Stale {
				e.measure(measuring, wt, &info)
			}
		}
		if wt.State == WorktreeActive {
			info.ByGit = e.Trees.LeftToGit(wt)
			if err := e.Trees.Verify(ctx, wt); err != nil {
				info.Fault = err.Error()
			}
		}
		list = append(list, info)
	}
	return list, nil
}
