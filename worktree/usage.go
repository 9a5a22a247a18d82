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
	"time"

	"boo/orchestrator"
)

// sizeAge is how old a measured size may be: what ignored files take changes
// without a snapshot.
const sizeAge = 10 * time.Minute

// Usage measures what a worktree takes on the disk, and the objects that only
// its chat's refs keep. Both are remembered: the first for ten minutes, the
// second for as long as the chat has no newer snapshot. What cannot be measured
// is 0.
func (e *Engine) Usage(ctx context.Context, wt orchestrator.Worktree) (orchestrator.TreeUsage, error) {
	var u orchestrator.TreeUsage
	u.Bytes = e.remembering(wt.Chat, "size", strconv.FormatInt(e.opts.Now().Unix()/int64(sizeAge/time.Second), 10), func() (int64, error) {
		return diskSize(ctx, string(wt.Dir))
	})
	head, err := e.Head(ctx, wt)
	if err != nil || head == "" {
		return u, err
	}
	u.Snapshots = e.remembering(wt.Chat, "cost", string(head), func() (int64, error) { return e.ownObjects(ctx, wt) })
	return u, ctx.Err()
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

// diskSize sums up the blocks of the files below dir.
func diskSize(ctx context.Context, dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return ctx.Err() // what cannot be read, or is gone, counts for nothing
		}
		info, err := entry.Info()
		if err != nil {
			return nil
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			sum += stat.Blocks * 512
		}
		return nil
	})
	return sum, err
}

// ownObjects is how many bytes in the repository only the chat's refs keep.
func (e *Engine) ownObjects(ctx context.Context, wt orchestrator.Worktree) (int64, error) {
	call := shared(wt.CommonDir, "rev-list", "--disk-usage", "--objects", "--glob="+chatRefs(wt.Chat)+"*",
		"--not", "--branches", "--tags", "--remotes", string(wt.Base))
	call.Idle = true
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(bytes.TrimSpace(out.Stdout)), 10, 64)
}
