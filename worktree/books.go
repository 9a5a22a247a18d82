package worktree

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"boo/orchestrator"
)

// Registered lists the worktrees below root that a repository has in its books
// under a chat's id and with a lock of boo's. Only what the books say is filled
// in: chat, repository, place.
func (e *Engine) Registered(_ context.Context, common orchestrator.GitDir, root string) ([]orchestrator.Worktree, error) {
	entries, err := os.ReadDir(filepath.Join(string(common), "worktrees"))
	if err != nil {
		return nil, coded(gone(err), "list the worktrees of %s", common)
	}
	var found []orchestrator.Worktree
	for _, entry := range entries {
		chat, err := orchestrator.ParseChatID(entry.Name())
		if err != nil {
			continue
		}
		wt := orchestrator.Worktree{Chat: chat, CommonDir: common}
		at, err := readSmall(adminOf(wt).file("gitdir"), 64<<10)
		if err != nil {
			continue // in the making, or going
		}
		wt.Dir = orchestrator.WorktreeDir(filepath.Dir(strings.TrimRight(string(at), "\n")))
		reason, err := readSmall(adminOf(wt).file("locked"), 64<<10)
		word := strings.TrimSpace(string(reason))
		if err == nil && (word == lockReason(chat) || word == spareReason(chat)) && strings.HasPrefix(string(wt.Dir), root+"/") {
			found = append(found, wt)
		}
	}
	return found, nil
}

// Debris removes what commands that died before a time have left of boo's in a
// repository: locks of refs that only boo writes, and what holds commits that
// were made or fetched for worktrees which then were not made. With dry it only
// tells. What it finds is told in words for people.
func (e *Engine) Debris(ctx context.Context, common orchestrator.GitDir, before time.Time, dry bool) (found []string, err error) {
	top := filepath.Join(string(common), "refs", "boo")
	err = filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return gone(err)
		}
		lock := strings.HasSuffix(path, ".lock")
		if !lock && !strings.HasPrefix(path, filepath.Join(top, "bases")+"/") {
			return nil
		}
		info, err := entry.Info()
		if err != nil || !info.ModTime().Before(before) {
			return gone(err)
		}
		name, err := filepath.Rel(string(common), path)
		if err != nil {
			return err
		}
		if lock {
			found = append(found, "the lock "+name)
			if !dry {
				err = gone(os.Remove(path))
			}
			return err
		}
		return e.dropHeld(ctx, common, filepath.ToSlash(name), dry, &found)
	})
	if err != nil {
		return found, coded(err, "look for what is left over in %s", common)
	}
	// Those that git has packed have no time of their own.
	packed := filepath.Join(string(common), "packed-refs")
	info, err := os.Lstat(packed)
	if err != nil || !info.ModTime().Before(before) {
		return found, gone(err)
	}
	content, err := readSmall(packed, mostOfGit)
	if err != nil || !strings.Contains(string(content), " "+basesRefs) {
		return found, gone(err)
	}
	for line := range strings.Lines(string(content)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasPrefix(name, basesRefs) {
			if err := e.dropHeld(ctx, common, name, dry, &found); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

func (e *Engine) dropHeld(ctx context.Context, common orchestrator.GitDir, name string, dry bool, found *[]string) error {
	now, err := e.refCommit(ctx, common, name)
	if err != nil || now == "" || slices.Contains(*found, heldWords(now)) {
		return err
	}
	*found = append(*found, heldWords(now))
	if dry {
		return nil
	}
	return e.MoveRef(ctx, common, name, now, "")
}

func heldWords(id orchestrator.ObjectID) string {
	return fmt.Sprintf("what held commit %s for a worktree", id.Short())
}

// KeptRisks tells of archives of one repository what would be lost for good with
// them: the commits that no branch has, here or at a remote, nor their content.
func (e *Engine) KeptRisks(ctx context.Context, wts []orchestrator.Worktree) (map[orchestrator.ChatID][]orchestrator.Risk, error) {
	risks := map[orchestrator.ChatID][]orchestrator.Risk{}
	if len(wts) == 0 {
		return risks, nil
	}
	common := wts[0].CommonDir
	if err := repoThere(wts[0]); err != nil {
		return nil, err
	}
	heads := map[orchestrator.ChatID]orchestrator.ObjectID{}
	for _, wt := range wts {
		head, err := e.lastHead(ctx, wt)
		if err != nil {
			return nil, coded(err, "tell where HEAD of chat %s was", wt.Chat)
		}
		heads[wt.Chat] = head
	}
	graph, err := e.lonelyCommits(ctx, common, heads, wts)
	if err != nil {
		return nil, coded(err, "tell which kept commits are on a branch of %s", common)
	}
	ahead := e.branchesAhead(ctx, common)
	for _, wt := range wts {
		own := ownCommits(graph, heads[wt.Chat], wt.Base)
		risks[wt.Chat] = e.unpushedRisk(ctx, wt, heads[wt.Chat], own, ahead)
	}
	return risks, nil
}
