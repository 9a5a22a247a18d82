package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

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
	list, err := e.registered(ctx, wt.CommonDir)
	if err == nil && slices.Contains(list, "worktree "+string(wt.Dir)) {
		err = orchestrator.Errorf(orchestrator.CodeUnverified, "git still lists worktree %s", wt.Dir).WithHint("git worktree list")
	}
	return err
}

// Unkeep gives a worktree that was restored what [Engine.Keep] kept beside its
// snapshot: ignored files that are not there, permissions, what was staged, and git's books, with
// HEAD on its branch again where that has not moved and is checked out nowhere else.
// It may be called again, as long as nobody has worked in it.
func (e *Engine) Unkeep(ctx context.Context, wt orchestrator.Worktree) error {
	kept, err := e.refCommit(ctx, wt.CommonDir, archiveRef(wt.Chat))
	if err != nil || kept == "" {
		return err
	}
	r, err := e.plain(wt.CommonDir, wt.Base)
	if err != nil {
		return err
	}
	out, err := e.git.Run(ctx, r.call("ls-tree", "-z", string(kept)))
	if err != nil {
		return coded(err, "look for what is kept of chat %s", wt.Chat)
	}
	entries, err := parseIndexed(out.Stdout)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		name  orchestrator.Path
		what  string
		bring func(raw []byte) error
	}{
		{keptModes, "ignored files", func(raw []byte) error { return e.bringIgnored(ctx, wt, string(raw)) }},
		{keptPerms, "the permissions", func(raw []byte) error { return bringPerms(wt, string(raw)) }},
		{keptIndex, "the index", func(raw []byte) error { return replaceFile(adminOf(wt).file("index"), raw) }},
		{keptBooks, "git's books", func(raw []byte) error { return e.bringBooks(ctx, wt, raw) }},
	} {
		at := slices.IndexFunc(entries, func(x indexed) bool { return x.path == part.name })
		if at < 0 {
			continue
		}
		blob, err := e.git.Run(ctx, r.call("cat-file", "blob", string(entries[at].entry.ID)))
		if err == nil {
			err = part.bring(blob.Stdout)
		}
		if err != nil {
			return coded(err, "bring back %s of chat %s", part.what, wt.Chat)
		}
	}
	return nil
}
