package worktree

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"boo/orchestrator"
	"boo/worktree/internal/idle"
)

// Usage measures what a worktree takes on the disk: the blocks of its files, of
// what boo and its repository keep for it, a file with several names once; and
// the objects that only its chat's refs keep, remembered for as long as the chat
// has no newer snapshot. What cannot be read counts for nothing. Blocks that a
// file system shares between files count for each of them.
func (e *Engine) Usage(ctx context.Context, wt orchestrator.Worktree) (orchestrator.TreeUsage, error) {
	m := measure{seen: map[inode]bool{}}
	for _, dir := range []string{string(wt.Dir), e.chatDir(wt.Chat), string(adminOf(wt))} {
		if err := m.add(ctx, dir); err != nil {
			return orchestrator.TreeUsage{}, err
		}
		if dir == string(wt.Dir) {
			m.inTree = m.dirs
		}
	}
	u := orchestrator.TreeUsage{Bytes: m.bytes, Dirs: m.inTree}
	head, err := e.Head(ctx, wt)
	if err != nil || head == "" {
		return u, err
	}
	u.Snapshots = e.remembering(wt.Chat, "cost", string(head), func() (int64, error) { return e.ownObjects(ctx, wt) })
	return u, ctx.Err()
}

// Weigh is Usage behind everything else on the machine.
func (e *Engine) Weigh(ctx context.Context, wt orchestrator.Worktree) (u orchestrator.TreeUsage, err error) {
	err = idle.Run(func() error {
		u, err = e.Usage(context.WithValue(ctx, idleKey{}, true), wt)
		return err
	})
	return u, err
}

// remembering returns a number that was measured under the same key, or
// measures it.
func (e *Engine) remembering(chat orchestrator.ChatID, name, key string, measure func() (int64, error)) int64 {
	path := filepath.Join(e.chatDir(chat), name)
	content, _ := readSmall(path, 4<<10)
	if known, value, ok := strings.Cut(strings.TrimSpace(string(content)), " "); ok && known == key {
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return n
		}
	}
	n, err := measure()
	if err != nil {
		return 0
	}
	_ = replaceFile(path, fmt.Appendf(nil, "%s %d\n", key, n)) // else it is measured again
	return n
}

// measure sums up what files take.
type measure struct {
	bytes, dirs, inTree int64
	seen                map[inode]bool // files that have several names
}

type inode struct{ dev, ino uint64 }

// add takes in dir and what is below it on the same file system.
func (m *measure) add(ctx context.Context, dir string) error {
	var dev uint64
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return ctx.Err()
		}
		info, err := entry.Info()
		if err != nil {
			return nil
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return nil
		}
		if path == dir {
			dev = stat.Dev
		}
		switch id := (inode{stat.Dev, stat.Ino}); {
		case stat.Dev != dev && entry.IsDir():
			return filepath.SkipDir
		case entry.IsDir():
			m.dirs++
		case stat.Nlink > 1 && m.seen[id]:
			return nil
		case stat.Nlink > 1:
			m.seen[id] = true
		}
		m.bytes += stat.Blocks * 512
		return nil
	})
}

// ownObjects is how many bytes in the repository only the chat's refs keep.
func (e *Engine) ownObjects(ctx context.Context, wt orchestrator.Worktree) (int64, error) {
	call := shared(wt.CommonDir, "rev-list", "--disk-usage", "--objects", "--glob="+chatRefs(wt.Chat)+"*",
		"--not", "--branches", "--tags", "--remotes", string(wt.Base))
	call.Idle = isIdle(ctx)
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(bytes.TrimSpace(out.Stdout)), 10, 64)
}
