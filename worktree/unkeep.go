package worktree

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"boo/orchestrator"
)

// Unregister has the repository forget a worktree whose directory is gone, and
// asks git whether it has. CodeConflict if something stands at its place. It may
// be called again.
func (e *Engine) Unregister(ctx context.Context, wt orchestrator.Worktree) error {
	if err := repoThere(wt); err != nil {
		return err
	}
	if _, err := os.Lstat(string(wt.Dir)); !errors.Is(err, fs.ErrNotExist) {
		return inTheWay(wt)
	}
	if err := os.RemoveAll(string(adminOf(wt))); err != nil {
		return coded(err, "unregister worktree %s", wt.Dir)
	}
	out, err := e.git.Run(ctx, shared(wt.CommonDir, "worktree", "list", "--porcelain", "-z"))
	if err != nil {
		return coded(err, "list the worktrees of %s", wt.CommonDir)
	}
	for field := range strings.SplitSeq(string(out.Stdout), "\x00") {
		if field == "worktree "+string(wt.Dir) {
			return orchestrator.Errorf(orchestrator.CodeUnverified, "git still lists worktree %s", wt.Dir).WithHint("git worktree list")
		}
	}
	return nil
}

// Unkeep gives a worktree that was restored what [Engine.Keep] kept beside its
// snapshot: ignored files that are not there, and what was staged. It may be
// called again, as long as nobody has worked in it.
func (e *Engine) Unkeep(ctx context.Context, wt orchestrator.Worktree) error {
	kept, err := e.refCommit(ctx, wt.CommonDir, archiveRef(wt.Chat))
	if err != nil || kept == "" {
		return err
	}
	plain, err := e.plain(wt.CommonDir, wt.Base)
	if err != nil {
		return err
	}
	modes, err := e.git.Run(ctx, plain.call("cat-file", "blob", string(kept)+":"+keptModes))
	if err != nil {
		return coded(err, "look for the ignored files of chat %s", wt.Chat)
	}
	if err := e.bringIgnored(ctx, wt, string(modes.Stdout)); err != nil {
		return coded(err, "bring back ignored files of chat %s", wt.Chat)
	}
	out, err := e.git.Run(ctx, plain.call("ls-tree", string(kept), keptIndex))
	if err != nil || len(bytes.TrimSpace(out.Stdout)) == 0 {
		return coded(err, "look for the index of chat %s", wt.Chat)
	}
	index, err := e.git.Run(ctx, plain.call("cat-file", "blob", string(kept)+":"+keptIndex))
	if err != nil {
		return coded(err, "bring back the index of chat %s", wt.Chat)
	}
	return coded(replaceFile(adminOf(wt).file("index"), index.Stdout), "bring back the index of chat %s", wt.Chat)
}
