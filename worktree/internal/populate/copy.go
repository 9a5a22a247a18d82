package populate

import (
	"bytes"
	"sync/atomic"
	"time"

	"boo/worktree/internal/dircache"

	"golang.org/x/sys/unix"
)

// cloning remembers whether the file system shares blocks between files.
type cloning struct{ impossible atomic.Bool }

// share makes out share the blocks of in, if the file system can.
func (c *cloning) share(out, in int) bool {
	if c.impossible.Load() {
		return false
	}
	err := unix.IoctlFileClone(out, in)
	if err != nil {
		// What fails once, with another file system, say, fails always.
		c.impossible.Store(true)
	}
	return err == nil
}

// fromTemplates fills the empty file out from the first template that it can
// come from.
func (w *worker) fromTemplates(f file, out int) (mtime time.Time, done bool, err error) {
	for i, source := range w.run.from {
		if f.from[i] < 0 {
			continue
		}
		if mtime, done, err = w.fromTemplate(f, source, f.from[i], out); done || err != nil {
			return mtime, done, err
		}
	}
	return mtime, false, nil
}

// fromTemplate fills the empty file out from a template's directory and returns
// the time that it has to get. done is false, and out empty, where that has no
// file that is proven to be the right one.
func (w *worker) fromTemplate(f file, source source, dir, out int) (mtime time.Time, done bool, err error) {
	index := source.Index
	e := index.Lookup(f.path)
	if e == nil || e.ID != f.ID || e.Mode != f.Mode {
		return mtime, false, nil
	}
	in, err := unix.Openat(dir, f.Name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return mtime, false, nil // not there any more, or something else
	}
	defer unix.Close(in)
	var st unix.Stat_t
	if unix.Fstat(in, &st) != nil || index.Match(e, &st) != dircache.Unchanged {
		return mtime, false, nil
	}
	shared := !source.Textual && source.clone.share(out, in)
	whole := true
	if !shared {
		if whole, err = w.copy(out, in, st.Size, source.Textual); err != nil {
			return mtime, false, err
		}
	}
	// It may have been written to while it was copied.
	if !whole || unix.Fstat(in, &st) != nil || index.Match(e, &st) != dircache.Unchanged {
		_, err := unix.Seek(out, 0, unix.SEEK_SET)
		if err == nil {
			err = unix.Ftruncate(out, 0)
		}
		return mtime, false, err
	}
	if shared {
		w.counts.Shared++
	} else {
		w.counts.Copied++
	}
	return older(time.Unix(st.Mtim.Unix()), w.run.newest), true, nil
}

// copy copies size bytes, or fewer when in has become shorter, which its stat
// data then show. Reading and writing through a buffer that stays in the
// processor's cache is faster here than copy_file_range, which goes through a
// pipe for each page where blocks cannot be shared. whole is false when it has
// stopped at content that may not be the object's.
func (w *worker) copy(out, in int, size int64, textual bool) (whole bool, err error) {
	for size > 0 {
		n, err := unix.Read(in, w.buf[:min(size, int64(len(w.buf)))])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return err == nil, err
		}
		if textual && bytes.IndexByte(w.buf[:n], '\r') >= 0 {
			return false, nil
		}
		if _, err := descriptor(out).Write(w.buf[:n]); err != nil {
			return false, err
		}
		size -= int64(n)
	}
	return true, nil
}

// descriptor writes to an open file.
type descriptor int

func (d descriptor) Write(p []byte) (written int, err error) {
	for written < len(p) {
		n, err := unix.Write(int(d), p[written:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return written, err
		}
		written += n
	}
	return written, nil
}

// setTime sets the modification time of a name in a directory.
func setTime(dir int, name string, mtime time.Time) error {
	ts, err := unix.TimeToTimespec(mtime)
	if err != nil {
		return err
	}
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, ts}
	return unix.UtimesNanoAt(dir, name, times, unix.AT_SYMLINK_NOFOLLOW)
}
