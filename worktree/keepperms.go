package worktree

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// putPerms adds the permissions of recorded files that git would not give them back.
// Only files are looked at that the base has not, or has with another content: what
// it costs follows the work.
func (e *Engine) putPerms(ctx context.Context, wt orchestrator.Worktree, r repo, objects *store, entries map[orchestrator.Path]orchestrator.Entry) error {
	newest, err := e.Newest(ctx, wt)
	if err != nil || newest.Commit == "" {
		return err
	}
	out, err := e.git.Run(ctx, r.call("diff-tree", "-r", "-z", "--no-renames", "--diff-filter=d", "--name-only", string(wt.Base), string(newest.Commit)))
	if err != nil || len(out.Stdout) == 0 {
		return err
	}
	root, err := os.OpenRoot(string(wt.Dir))
	if err != nil {
		return err
	}
	defer root.Close()
	var lines strings.Builder
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out.Stdout), "\x00"), "\x00") {
		info, err := root.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue // a symlink has none, and of what is not there nothing is restored
		}
		if perm := info.Mode().Perm(); perm != 0o644 && perm != 0o755 {
			fmt.Fprintf(&lines, "%o %s\x00", uint32(perm), path)
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	blob, err := objects.put(objectid.Blob, []byte(lines.String()))
	entries[keptPerms] = orchestrator.Entry{Mode: orchestrator.ModeRegular, ID: blob}
	return err
}

// bringPerms gives files the permissions of an archive.
func bringPerms(wt orchestrator.Worktree, list string) error {
	root, err := os.OpenRoot(string(wt.Dir))
	if err != nil {
		return err
	}
	defer root.Close()
	for line := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		mode, path, _ := strings.Cut(line, " ")
		perm, err := strconv.ParseUint(mode, 8, 9)
		if err != nil {
			return fmt.Errorf("the list of permissions has %q", line)
		}
		if info, err := root.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := root.Chmod(path, fs.FileMode(perm)); err != nil {
			return err
		}
	}
	return nil
}
