package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
)

// coded wraps an error for people: with the code of an error that has one,
// or with the code that its cause calls for.
func coded(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	what := fmt.Sprintf(format, args...)
	if _, ok := errors.AsType[*orchestrator.Error](err); ok {
		return fmt.Errorf("%s: %w", what, err)
	}
	switch {
	case isFull(err):
		return orchestrator.Errorf(orchestrator.CodeFull, "%s: no space left on the disk: %w", what, err).
			WithHint("df -h")
	case isDenied(err):
		return orchestrator.Errorf(orchestrator.CodeDenied, "%s: %w", what, err)
	case errors.Is(err, gitcmd.ErrNoGit):
		return orchestrator.Errorf(orchestrator.CodeNotFound, "%s: %w", what, err).
			WithHint("install git 2.38 or later")
	}
	return orchestrator.Errorf(orchestrator.CodeInternal, "%s: %w", what, err)
}

func isFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	git, ok := errors.AsType[*GitError](err)
	return ok && (git.Says("No space left on device") || git.Says("Disk quota exceeded"))
}

// noteFull adds to an error that the disk of dir is full, if it is: when git
// cannot write a file of a checkout it does not say why.
func noteFull(err error, dir string) error {
	const hardlyAny = 1 << 20
	var stat syscall.Statfs_t
	if statErr := syscall.Statfs(dir, &stat); statErr == nil && stat.Bavail*uint64(stat.Bsize) < hardlyAny {
		return fmt.Errorf("%w (%w)", err, syscall.ENOSPC)
	}
	return err
}

func isDenied(err error) bool {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return true
	}
	git, ok := errors.AsType[*GitError](err)
	return ok && (git.Says("Permission denied") || git.Says("Read-only file system"))
}

// exited reports whether err is a git command that ended by itself with one
// of the given statuses.
func exited(err error, statuses ...int) bool {
	git, ok := errors.AsType[*GitError](err)
	if !ok {
		return false
	}
	for _, status := range statuses {
		if git.ExitCode == status {
			return true
		}
	}
	return false
}
