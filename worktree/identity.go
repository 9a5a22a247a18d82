package worktree

import (
	"fmt"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// Identity implements [orchestrator.Trees]: the number of the directory on its
// file system, and when it came to be there, as numbers are used again. The number
// of the file system is not in it, since that may be another after a start of the
// machine.
func (e *Engine) Identity(wt orchestrator.Worktree) (string, error) {
	if err := realDir(wt); err != nil {
		return "", err
	}
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, string(wt.Dir), unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &st)
	if err != nil {
		return "", coded(err, "look at worktree %s", wt.Dir)
	}
	if st.Mask&unix.STATX_BTIME == 0 {
		return fmt.Sprint(st.Ino), nil
	}
	return fmt.Sprintf("%d.%d.%09d", st.Ino, st.Btime.Sec, st.Btime.Nsec), nil
}

// SameTree reports nil if the directory of wt is the one that its row tells of, or
// if that tells of none: an error with [Replaced] otherwise.
func (e *Engine) SameTree(wt orchestrator.Worktree) error {
	now, err := e.Identity(wt)
	if err == nil && wt.Identity != "" && now != wt.Identity {
		err = fault(wt, Replaced, "another directory stands in its place; to take that for it: boo worktree repair "+string(wt.Chat))
	}
	return err
}
