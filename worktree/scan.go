package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"boo/orchestrator"
)

// scan is how a worktree differs from its base.
type scan struct {
	add    []orchestrator.Path // files and symlinks to read: changed, new or forced
	set    []indexed           // entries that are known without reading a file; zero removes
	nested []orchestrator.Path // untracked directories that are repositories

	back []orchestrator.Path // those of add that are marked as not in a sparse worktree

	skip   []orchestrator.SkippedPath // left out, each a path by itself
	floods []orchestrator.SkippedPath // directories whose untracked files are left out
	notes  []orchestrator.SkippedPath // recorded, but not with all that is there
}

// errDamaged says that the chat's index cannot be the one that boo left.
var errDamaged = errors.New("the index is damaged")

// scan compares the worktree with the base: git's status on boo's own index,
// and then, from the agent's index, the ignored files that were added by
// force. Neither index is changed but for refreshed times in boo's own.
func (e *Engine) scan(ctx context.Context, wt orchestrator.Worktree, r repo) (scan, error) {
	call := r.call("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
	call.Refresh = true
	if err := doubtRecent(r, wt.Base); err != nil {
		return scan{}, fmt.Errorf("scan worktree %s: %w", wt.Dir, err)
	}
	was, _ := os.Lstat(r.index) // without one, git makes it
	began := stamp()
	out, err := e.git.Run(ctx, call)
	if err := errors.Join(err, asOf(r.index, was, began)); err != nil {
		return scan{}, fmt.Errorf("scan worktree %s: %w", wt.Dir, err)
	}
	s, untracked, err := parseStatus(string(out.Stdout))
	if err != nil {
		return scan{}, fmt.Errorf("scan worktree %s: %w", wt.Dir, err)
	}
	s.skip = append(s.skip, unreadable(string(out.Stderr))...)
	kept, flood := drain(untracked, e.opts.MaxUntracked)
	s.add = append(s.add, kept...)
	s.floods = flood

	forced, note := e.forced(ctx, r)
	s.add = append(s.add, forced...)
	s.notes = append(s.notes, note...)
	return s, e.sparse(ctx, wt, r, &s)
}

// parseStatus reads porcelain v2 with -z (git-status(1)): "1 XY …" lines for
// tracked paths and "?" lines for untracked ones, whose directories, with a
// slash at the end, are repositories.
func parseStatus(raw string) (s scan, untracked []orchestrator.Path, err error) {
	for line := range strings.SplitSeq(strings.TrimSuffix(raw, "\x00"), "\x00") {
		switch {
		case line == "":
		case strings.HasPrefix(line, "1 "):
			f := strings.SplitN(line, " ", 9)
			if len(f) < 9 || len(f[1]) != 2 || f[1][0] != '.' {
				return scan{}, nil, fmt.Errorf("%w: status says %q", errDamaged, line)
			}
			path := orchestrator.Path(f[8])
			if f[1][1] == 'D' {
				s.set = append(s.set, indexed{path: path})
			} else {
				s.add = append(s.add, path)
			}
		case strings.HasPrefix(line, "? "):
			path, dir := strings.CutSuffix(line[2:], "/")
			if dir {
				s.nested = append(s.nested, orchestrator.Path(path))
			} else {
				untracked = append(untracked, orchestrator.Path(path))
			}
		default:
			return scan{}, nil, fmt.Errorf("%w: status says %q", errDamaged, line)
		}
	}
	return s, untracked, nil
}

// unreadable finds the directories that git warned it could not look into.
func unreadable(stderr string) []orchestrator.SkippedPath {
	var skipped []orchestrator.SkippedPath
	for line := range strings.Lines(stderr) {
		_, rest, ok := strings.Cut(line, "could not open directory '")
		if i := strings.LastIndex(rest, "': "); ok && i >= 0 {
			skipped = append(skipped, orchestrator.SkippedPath{
				Path:   orchestrator.Path(strings.TrimSuffix(rest[:i], "/")),
				Reason: "directory cannot be read: " + strings.TrimSpace(rest[i+3:]),
			})
		}
	}
	return skipped
}

// forced lists the files in the agent's own index that the ignore rules would
// leave out. The index is the agent's to write, so an unreadable one is a
// note, not an error.
func (e *Engine) forced(ctx context.Context, r repo) ([]orchestrator.Path, []orchestrator.SkippedPath) {
	info, err := os.Lstat(r.own)
	if err != nil {
		return nil, nil // no index: nothing was added
	}
	if !info.Mode().IsRegular() {
		// Git would wait at a pipe for ever.
		return nil, []orchestrator.SkippedPath{{Path: ".", Reason: "ignored files added by force: the worktree's own index is not a file"}}
	}
	out, err := e.git.Run(ctx, r.with(r.own).call("ls-files", "-z", "--cached", "--ignored", "--exclude-standard"))
	if err != nil {
		return nil, []orchestrator.SkippedPath{{
			Path: ".", Reason: "ignored files added by force: the worktree's own index cannot be read: " + reason(err),
		}}
	}
	var paths []orchestrator.Path
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out.Stdout), "\x00"), "\x00") {
		if p, err := orchestrator.ParsePath(path); err == nil {
			paths = append(paths, p)
		}
	}
	return paths, nil
}

// reason gives a git error's own words, or any other error's.
func reason(err error) string {
	if git, ok := errors.AsType[*GitError](err); ok && git.Reason() != "" {
		return git.Reason()
	}
	return err.Error()
}
