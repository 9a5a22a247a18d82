package populate

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/treeedit"

	"golang.org/x/sys/unix"
)

// worker writes files. Its counts go into the result at its end.
type worker struct {
	run    *run
	buf    []byte
	counts Result
}

// work does jobs until there are no more, and returns the entries of what it
// has written.
func (r *run) work(ctx context.Context, jobs <-chan job) ([]dircache.Entry, error) {
	w := &worker{run: r, buf: make([]byte, 256<<10)}
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.result.Shared += w.counts.Shared
		r.result.Copied += w.counts.Copied
		r.result.Extracted += w.counts.Extracted
		r.result.Submodules = append(r.result.Submodules, w.counts.Submodules...)
	}()
	var entries []dircache.Entry
	for j := range jobs {
		if ctx.Err() != nil {
			continue // so that the walker is not left waiting
		}
		var err error
		if entries, err = w.job(ctx, j, entries); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// job appends the entries of a job's files.
func (w *worker) job(ctx context.Context, j job, entries []dircache.Entry) ([]dircache.Entry, error) {
	to, err := w.run.to.OpenDir(j.dir)
	if err != nil {
		return entries, err
	}
	defer unix.Close(to)
	from := make([]int, len(w.run.from))
	for i, source := range w.run.from {
		if from[i], err = source.root.OpenDir(j.dir); err != nil {
			from[i] = -1
			continue
		}
		defer unix.Close(from[i])
	}
	for _, e := range j.files {
		path := join(j.dir, e.Name)
		st, err := w.write(ctx, file{Entry: e, path: path, to: to, from: from})
		if err != nil {
			return entries, fmt.Errorf("write %s: %w", path, err)
		}
		entries = append(entries, dircache.Entry{Path: path, ID: e.ID, Mode: e.Mode, Stat: dircache.StatOf(&st)})
	}
	return entries, nil
}

// file is one file to write: into the directory to, maybe from the one of the
// same path in a template; those that lack it have -1.
type file struct {
	treeedit.Entry
	path orchestrator.Path
	to   int
	from []int
}

// write writes a file and returns its stat data.
func (w *worker) write(ctx context.Context, f file) (unix.Stat_t, error) {
	switch f.Mode {
	case orchestrator.ModeSymlink:
		return w.symlink(ctx, f)
	case orchestrator.ModeGitlink:
		w.counts.Submodules = append(w.counts.Submodules, f.path)
		if err := unix.Mkdirat(f.to, f.Name, 0o777); err != nil {
			return unix.Stat_t{}, err
		}
		return lstat(f)
	}
	perm := uint32(0o666)
	if f.Mode == orchestrator.ModeExec {
		perm = 0o777
	}
	out, err := unix.Openat(f.to, f.Name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, perm)
	if err != nil {
		return unix.Stat_t{}, err
	}
	st, err := w.fill(ctx, f, out)
	// Some file systems report a full disk only here.
	if cerr := unix.Close(out); err == nil {
		err = cerr
	}
	return st, err
}

// fill gives the new file its content and its time.
func (w *worker) fill(ctx context.Context, f file, out int) (st unix.Stat_t, err error) {
	mtime, done, err := w.fromTemplates(f, out)
	if err != nil {
		return st, err
	}
	if !done {
		mtime = w.run.newest
		if err := w.run.opts.Objects.Blob(ctx, f.ID, descriptor(out)); err != nil {
			return st, err
		}
		w.counts.Extracted++
	}
	if err := setTime(f.to, f.Name, mtime); err != nil {
		return st, err
	}
	return st, unix.Fstat(out, &st)
}

// symlink makes a symlink from its blob. git allows no target with a NUL, and
// Linux none of PATH_MAX bytes or more.
func (w *worker) symlink(ctx context.Context, f file) (st unix.Stat_t, err error) {
	target := &bounded{limit: unix.PathMax}
	if err := w.run.opts.Objects.Blob(ctx, f.ID, target); err != nil {
		return st, err
	}
	if bytes.IndexByte(target.Bytes(), 0) >= 0 {
		return st, unix.EINVAL
	}
	if err := unix.Symlinkat(target.String(), f.to, f.Name); err != nil {
		return st, err
	}
	w.counts.Extracted++
	if err := setTime(f.to, f.Name, w.run.newest); err != nil {
		return st, err
	}
	return lstat(f)
}

func lstat(f file) (st unix.Stat_t, err error) {
	return st, unix.Fstatat(f.to, f.Name, &st, unix.AT_SYMLINK_NOFOLLOW)
}

// bounded is a buffer that refuses to grow beyond its limit.
type bounded struct {
	bytes.Buffer
	limit int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		return 0, unix.ENAMETOOLONG
	}
	return b.Buffer.Write(p)
}

// older returns the earlier of two times.
func older(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
