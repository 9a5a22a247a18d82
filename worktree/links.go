package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"boo/orchestrator"
)

// links adds to a scan what git was kept from looking at: the gitlinks of the
// base, and the repositories that have come into the tree since. What is
// recorded of a repository is the commit that it has checked out; its files
// are its own, which the scan notes.
func (e *Engine) links(ctx context.Context, wt orchestrator.Worktree, r repo, s *scan) error {
	base, err := e.gitlinks(ctx, r)
	if err != nil {
		return err
	}
	for _, link := range base {
		info, err := lstatBelow(string(wt.Dir), string(link.path))
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(wt.Sparse) > 0 && !inside(wt.Sparse, link.path):
		case errors.Is(err, fs.ErrNotExist):
			s.set = append(s.set, indexed{path: link.path})
		case err != nil:
			s.leaveOut(link.path, "cannot be looked at: "+err.Error())
		case info.IsDir():
			s.relink(wt, link)
		default:
			s.add = append(s.add, link.path)
		}
	}
	for _, path := range s.nested {
		s.link(wt, path)
	}
	return nil
}

// relink looks at a gitlink of the base that is still a directory. Like git it
// takes one without a repository for one that was never initialised.
func (s *scan) relink(wt orchestrator.Worktree, link indexed) {
	dir := filepath.Join(string(wt.Dir), string(link.path))
	head, err := nestedHead(dir)
	switch {
	case errors.Is(err, errNoRepo):
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			s.leaveOut(link.path, "files in a submodule that is not initialised are not recorded")
		}
	case err != nil:
		s.leaveOut(link.path, "submodule cannot be recorded: "+err.Error())
	case head != link.entry.ID:
		s.link(wt, link.path)
	}
}

// link records a repository in the tree by the commit that it has checked out.
func (s *scan) link(wt orchestrator.Worktree, path orchestrator.Path) {
	head, err := nestedHead(filepath.Join(string(wt.Dir), string(path)))
	switch {
	case err != nil:
		s.leaveOut(path, "repository inside the worktree cannot be recorded: "+err.Error())
	case len(head) != len(wt.Base):
		s.leaveOut(path, "repository inside the worktree has another object format")
	default:
		s.set = append(s.set, indexed{path, orchestrator.Entry{Mode: orchestrator.ModeGitlink, ID: head}})
		s.notes = append(s.notes, orchestrator.SkippedPath{
			Path:   path,
			Reason: fmt.Sprintf("repository inside the worktree: recorded as a link to its commit %s, without its files", head.Short()),
		})
	}
}

func (s *scan) leaveOut(path orchestrator.Path, why string) {
	s.skip = append(s.skip, orchestrator.SkippedPath{Path: path, Reason: why})
}
