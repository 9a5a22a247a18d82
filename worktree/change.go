package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"boo/orchestrator"
)

// change brings an index that is at the base to what the scan has found, and
// returns all that is left out or worth a note. Paths that are left out get
// the entries that the snapshot before had for them: what cannot be read now
// has not thereby been undone.
func (e *Engine) change(ctx context.Context, wt orchestrator.Worktree, r repo, s scan, prev orchestrator.Snapshot) ([]orchestrator.SkippedPath, error) {
	tracked, err := e.trackedBelow(ctx, r, s.floods)
	if err != nil {
		return nil, err
	}
	if err := e.keep(ctx, wt, r, prev, append(slices.Clone(s.skip), s.floods...), tracked); err != nil {
		return nil, err
	}
	refused, err := e.setLinks(ctx, r, wt.Base, s.set)
	if err != nil {
		return nil, err
	}
	if err := e.markFiles(ctx, r, "--no-skip-worktree", s.back); err != nil {
		return nil, err
	}
	unread, err := e.addFiles(ctx, r, s.add)
	if err != nil {
		return nil, err
	}
	if err := e.keep(ctx, wt, r, prev, unread, nil); err != nil {
		return nil, err
	}
	skipped := slices.Concat(s.skip, s.floods, s.notes, refused, unread)
	slices.SortStableFunc(skipped, func(a, b orchestrator.SkippedPath) int { return cmp.Compare(a.Path, b.Path) })
	return skipped, nil
}

// setLinks writes deletions and gitlinks. Git takes all or none of them, so
// when there is a name that it refuses they are given one by one.
func (e *Engine) setLinks(ctx context.Context, r repo, like orchestrator.ObjectID, set []indexed) ([]orchestrator.SkippedPath, error) {
	err := e.setEntries(ctx, r, like, set)
	if err == nil || isFull(err) || !exited(err, 128) {
		return nil, err
	}
	var refused []orchestrator.SkippedPath
	for _, x := range set {
		if !x.entry.Exists() {
			continue
		}
		if err := e.setEntries(ctx, r, like, []indexed{x}); err != nil {
			refused = append(refused, orchestrator.SkippedPath{Path: x.path, Reason: "cannot be recorded: " + reason(err)})
		}
	}
	gone := slices.DeleteFunc(slices.Clone(set), func(x indexed) bool { return x.entry.Exists() })
	return refused, e.setEntries(ctx, r, like, gone)
}

// trackedBelow lists the files of an index below the paths.
func (e *Engine) trackedBelow(ctx context.Context, r repo, below []orchestrator.SkippedPath) (map[orchestrator.Path]bool, error) {
	if len(below) == 0 {
		return nil, nil
	}
	out, err := e.git.Run(ctx, r.call(append([]string{"ls-files", "-z", "--"}, names(below)...)...))
	if err != nil {
		return nil, fmt.Errorf("list tracked files: %w", err)
	}
	tracked := map[orchestrator.Path]bool{}
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out.Stdout), "\x00"), "\x00") {
		tracked[orchestrator.Path(path)] = true
	}
	delete(tracked, "") // of an empty list
	return tracked, nil
}

// keep writes what the snapshot before had at and below the paths, where something
// still is, and takes away what it had not, except for those in settled.
func (e *Engine) keep(ctx context.Context, wt orchestrator.Worktree, r repo, prev orchestrator.Snapshot, skipped []orchestrator.SkippedPath, settled map[orchestrator.Path]bool) error {
	paths := names(skipped)
	if prev.Commit == "" || len(paths) == 0 {
		return nil
	}
	out, err := e.git.Run(ctx, r.call(append([]string{"ls-tree", "-r", "-z", string(prev.Tree), "--"}, paths...)...))
	if err != nil {
		return fmt.Errorf("look up paths that are left out: %w", err)
	}
	entries, err := parseIndexed(out.Stdout)
	if err != nil {
		return err
	}
	dropped, err := e.trackedBelow(ctx, r, skipped)
	if err != nil {
		return err
	}
	for _, x := range entries {
		delete(dropped, x.path)
	}
	for path := range dropped {
		entries = append(entries, indexed{path: path})
	}
	entries = slices.DeleteFunc(entries, func(x indexed) bool {
		_, err := lstatBelow(string(wt.Dir), string(x.path))
		return settled[x.path] || errors.Is(err, fs.ErrNotExist)
	})
	return e.setEntries(ctx, r, wt.Base, entries)
}

// maxNames bounds the paths on one command line; beyond it, nothing is kept
// of the snapshot before.
const maxNames = 300

func names(skipped []orchestrator.SkippedPath) []string {
	var list []string
	for _, s := range skipped {
		if _, err := orchestrator.ParsePath(string(s.Path)); err == nil && len(list) < maxNames {
			list = append(list, string(s.Path))
		}
	}
	return list
}
