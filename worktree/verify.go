package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

// Fault says in what way a worktree is not what it was.
type Fault string

// The faults.
const (
	Missing  Fault = "missing"  // nothing is at its place, or its repository is gone
	Replaced Fault = "replaced" // something else is there: a file, a symlink, a directory without a link
	Foreign  Fault = "foreign"  // a worktree, but linked to another place
)

// FaultError is in the chain of every error of [Engine.Verify].
type FaultError struct {
	Fault Fault
	Dir   orchestrator.WorktreeDir
	What  string
}

// Error says which worktree has which fault.
func (e *FaultError) Error() string {
	return fmt.Sprintf("worktree %s is %s: %s", e.Dir, e.Fault, e.What)
}

// Verify reports nil if wt stands at its place and belongs to its chat. Its
// errors hold a [FaultError]: Missing is CodeNotFound, the others are
// CodeUnverified.
func (e *Engine) Verify(_ context.Context, wt orchestrator.Worktree) error {
	if err := realDir(wt); err != nil {
		return err
	}
	link := filepath.Join(string(wt.Dir), ".git")
	info, err := os.Lstat(link)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault(wt, Replaced, "its .git file is gone")
	case err != nil:
		return coded(err, "look at worktree %s", wt.Dir)
	case !info.Mode().IsRegular():
		return fault(wt, Replaced, "its .git is not a file any more")
	}
	content, err := readSmall(link, 64<<10)
	if err != nil {
		return coded(err, "look at worktree %s", wt.Dir)
	}
	if string(content) != adminOf(wt).dotGit() {
		if target, ok := strings.CutPrefix(string(content), "gitdir: "); ok {
			return fault(wt, Foreign, fmt.Sprintf("its .git file points to %q", strings.TrimSpace(target)))
		}
		return fault(wt, Replaced, "its .git file is damaged")
	}
	return registered(wt)
}

// realDir checks that the worktree's directory is one, and not a way to
// somewhere else.
func realDir(wt orchestrator.Worktree) error {
	info, err := os.Lstat(string(wt.Dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault(wt, Missing, "its directory is gone")
	case err != nil:
		return coded(err, "look at worktree %s", wt.Dir)
	case info.Mode()&fs.ModeSymlink != 0:
		return fault(wt, Replaced, "a symlink stands in its place")
	case !info.IsDir():
		return fault(wt, Replaced, "a file stands in its place")
	}
	return nil
}

// registered checks the repository's side of the link.
func registered(wt orchestrator.Worktree) error {
	if err := repoThere(wt); err != nil {
		return err
	}
	content, err := readSmall(adminOf(wt).file("gitdir"), 64<<10)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault(wt, Missing, "its repository does not know it any more")
	case err != nil:
		return coded(err, "look at the registration of worktree %s", wt.Dir)
	}
	if at := strings.TrimRight(string(content), "\n"); at != filepath.Join(string(wt.Dir), ".git") {
		return fault(wt, Foreign, fmt.Sprintf("its repository expects it at %q", filepath.Dir(at)))
	}
	return nil
}

// repoThere checks that the repository is where it was.
func repoThere(wt orchestrator.Worktree) error {
	_, err := os.Stat(objectsOf(wt.CommonDir))
	if errors.Is(err, fs.ErrNotExist) {
		return fault(wt, Missing, fmt.Sprintf("its repository %s was moved or deleted", wt.CommonDir))
	}
	return coded(err, "look at repository %s", wt.CommonDir)
}

func fault(wt orchestrator.Worktree, f Fault, what string) error {
	code := orchestrator.CodeUnverified
	if f == Missing {
		code = orchestrator.CodeNotFound
	}
	return orchestrator.Errorf(code, "%w", &FaultError{Fault: f, Dir: wt.Dir, What: what})
}
