package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"boo/orchestrator"
)

// The person's index is never written to, by git or by boo: git edits a copy in
// a directory of boo's beside it, the copy becomes the index's lock by a link,
// which fails if somebody has locked it, and then the index. So whatever is
// killed, the lock is there for a moment only, and boo knows its own again: it
// is the same file as a copy.

// Stage changes entries of the checkout's index, all or none; a zero After
// removes its path. Other entries keep what is staged for them. CodeConflict
// where an entry is not what Before says.
func (e *Engine) Stage(ctx context.Context, c orchestrator.Checkout, steps []orchestrator.IndexStep, like orchestrator.ObjectID) error {
	last, err := lastLanding(ctx, c)
	if err != nil {
		return coded(err, "stage in %s", c.Dir)
	}
	defer last.Close()
	const tries = 5 // somebody else's git may be at work on the index
	for try := 1; ; try++ {
		err := e.stage(ctx, c, last, steps, like)
		if !errors.Is(err, errMoved) || try == tries {
			return coded(err, "stage in %s", c.Dir)
		}
	}
}

// errMoved says that somebody else has written the index meanwhile.
var errMoved = errors.New("the index was written by somebody else")

func (e *Engine) stage(ctx context.Context, c orchestrator.Checkout, last *os.File, steps []orchestrator.IndexStep, like orchestrator.ObjectID) (err error) {
	x, err := copiedIndex(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(x.dir)) }()
	paths := make([]orchestrator.Path, len(steps))
	for i, s := range steps {
		paths[i] = s.Path
	}
	now, err := e.stagedIn(ctx, c, x.copy, paths)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if now[s.Path] != s.Before {
			return orchestrator.Errorf(orchestrator.CodeConflict, "something else was staged for %s in the same moment", s.Path)
		}
	}
	call := own(c, "update-index", "-z", "--index-info")
	call.Stdin, call.Index, call.Held = indexInfo(steps, like), x.copy, last
	if _, err := e.git.Run(ctx, call); err != nil {
		return err
	}
	// Files that were edited in the second in which they were indexed are told
	// from unchanged ones by the time of the index. Git would see to it itself if
	// it stood in the checkout, but run the checkout's filters for that.
	if x.was != nil {
		if err := os.Chtimes(x.copy, time.Time{}, x.was.ModTime()); err != nil {
			return err
		}
	}
	return x.install()
}

// indexInfo is what git update-index --index-info reads.
func indexInfo(steps []orchestrator.IndexStep, like orchestrator.ObjectID) *bytes.Buffer {
	var in bytes.Buffer
	zero := strings.Repeat("0", len(like))
	for _, remove := range []bool{true, false} { // what leaves makes room
		for _, s := range steps {
			switch {
			case !s.After.Exists() && remove:
				fmt.Fprintf(&in, "0 %s\t%s\x00", zero, string(s.Path))
			case s.After.Exists() && !remove:
				fmt.Fprintf(&in, "%o %s\t%s\x00", s.After.Mode, s.After.ID, string(s.Path))
			}
		}
	}
	return &in
}

// indexCopy is a copy of an index on its way.
type indexCopy struct {
	index, dir, copy string
	was              fs.FileInfo // the index when it was copied, nil for none
}

// besides is where the copies of an index are, each in a directory of its own.
func besides(index string) string { return filepath.Join(filepath.Dir(index), "boo", "index") }

// indexOf is the file that is the checkout's index.
func indexOf(c orchestrator.Checkout) string {
	path := filepath.Join(string(c.GitDir), "index")
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// copiedIndex copies the index, after what a boo that was killed left of copies
// is removed.
func copiedIndex(c orchestrator.Checkout) (x indexCopy, err error) {
	x.index = indexOf(c)
	if err := dropCopies(x.index); err != nil {
		return x, err
	}
	home := besides(x.index)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return x, err
	}
	if x.dir, err = os.MkdirTemp(home, ""); err != nil {
		return x, err
	}
	x.copy = filepath.Join(x.dir, "index")
	x.was, err = os.Stat(x.index)
	if err == nil {
		err = copyIndex(x.index, x.copy)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // nothing was ever staged there
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(x.dir))
	}
	return x, err
}

// install makes the copy the index.
func (x indexCopy) install() error {
	if err := syncFile(x.copy); err != nil {
		return err
	}
	lock := x.index + ".lock"
	if err := os.Link(x.copy, lock); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return orchestrator.Errorf(orchestrator.CodeBusy, "git is at work on the index: %s is there", lock).
				WithHint("rm %s   (only where no git runs any more)", lock)
		}
		return err
	}
	now, err := os.Stat(x.index)
	if errors.Is(err, fs.ErrNotExist) {
		now, err = nil, nil
	}
	if err == nil && !unmoved(x.was, now) {
		err = errMoved
	}
	if err == nil {
		err = os.Rename(lock, x.index)
	}
	if err != nil {
		return errors.Join(err, os.Remove(lock))
	}
	return nil
}

// unmoved reports whether two looks saw the same file: git replaces an index,
// it never writes into one.
func unmoved(was, now fs.FileInfo) bool {
	if was == nil || now == nil {
		return was == now
	}
	return os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime())
}

// dropCopies removes the copies that a boo which was killed left, and the lock
// on the index that is one of them.
func dropCopies(index string) error {
	left, err := os.ReadDir(besides(index))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	lock, lockErr := os.Lstat(index + ".lock")
	for _, entry := range left {
		dir := filepath.Join(besides(index), entry.Name())
		if info, err := os.Lstat(filepath.Join(dir, "index")); err == nil && lockErr == nil && os.SameFile(info, lock) {
			if err := os.Remove(index + ".lock"); err != nil {
				return err
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
