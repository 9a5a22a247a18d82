package worktree

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/safeopen"

	"golang.org/x/sys/unix"
)

// A git that is built to compare whole seconds, as most are, takes a file for
// unchanged that was edited in the second of its last look, to the same size and
// with its modification time set back: only the nanoseconds of its change time
// tell. It looks at such files by content when it is told that it does not know
// them, by its own mark (racy-git.txt in git's technical documentation).

// settling is how long before an index was written its files may have been looked
// at, in whole seconds, where that is not known to be less.
const settling = 2

// stamp is the time with which the kernel would mark a file now. It follows the
// clock in steps.
func stamp() time.Time {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now) != nil {
		return time.Now().Add(-clockTick)
	}
	return time.Unix(now.Unix())
}

// doubtRecent marks in r's index the files for git to compare by content that were
// touched shortly before the index was written, and again since, as far as the
// nanoseconds tell. It costs a look at each of these files; as a rule there are none.
func doubtRecent(r repo, like orchestrator.ObjectID) error {
	format, err := objectid.FormatOf(like)
	if err != nil {
		return err
	}
	index, err := dircache.Read(r.index, format)
	if err != nil {
		return nil // git has the last word on what it reads
	}
	root, err := safeopen.OpenRoot(r.workTree)
	if err != nil {
		return err
	}
	defer root.Close()
	border := index.AsOf().Truncate(time.Second).Add(-settling * time.Second)
	doubted := false
	for _, entry := range index.Entries() {
		if entry.Stat.Size == 0 || entry.Stage != 0 || entry.Mode == orchestrator.ModeGitlink || entry.Stat.Touched().Before(border) {
			continue
		}
		st, err := root.Lstat(entry.Path)
		if err == nil && index.Match(&entry, &st) == dircache.Unsure {
			index.Doubt(entry.Path)
			doubted = true
		}
	}
	if !doubted {
		return nil
	}
	return index.WriteFile(r.index)
}

// asOf has the index at path, if it is another one than it was, say that it is true
// as of a moment before its files were looked at.
func asOf(path string, was fs.FileInfo, moment time.Time) error {
	now, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && was != nil && unmoved(was, now) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Chtimes(path, time.Time{}, moment)
}
