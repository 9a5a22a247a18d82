package populate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/safeopen"

	"golang.org/x/sys/unix"
)

// Bringing says which files of one directory are wanted in another.
type Bringing struct {
	From, To *safeopen.Root
	Files    []orchestrator.Path
	// Limit is how many bytes may be copied; what shares its blocks costs none.
	Limit int64
}

// Brought is what became of them.
type Brought struct {
	Files   int
	Skipped []orchestrator.SkippedPath // those that could not be brought, by path
}

// bring is one call of Bring.
type bring struct {
	Bringing
	clone *cloning

	mu     sync.Mutex
	copied int64
	result Brought
}

var (
	errOutside = errors.New("is a symlink that leads out of the tree")
	errKind    = errors.New("is neither a file nor a symlink")
	errTooMuch = errors.New("is more than the limit lets be copied")
)

// Bring gives files, with their modes and times, to another directory, two at a
// time. Nothing there is overwritten, and nothing is followed through a symlink
// on either side; symlinks are brought themselves where they stay inside. What
// cannot be brought is named, and the rest is. An error is ctx's.
func Bring(ctx context.Context, b Bringing) (Brought, error) {
	r := &bring{Bringing: b, clone: &cloning{}}
	files := make(chan orchestrator.Path)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for file := range files {
				err := r.one(file)
				r.mu.Lock()
				if err == nil {
					r.result.Files++
				} else {
					r.result.Skipped = append(r.result.Skipped, orchestrator.SkippedPath{Path: file, Reason: err.Error()})
				}
				r.mu.Unlock()
			}
		})
	}
	err := give(ctx, files, b.Files)
	wg.Wait()
	slices.SortFunc(r.result.Skipped, func(a, b orchestrator.SkippedPath) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return r.result, err
}

func give(ctx context.Context, to chan<- orchestrator.Path, files []orchestrator.Path) error {
	defer close(to)
	for _, file := range files {
		select {
		case to <- file:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (r *bring) one(file orchestrator.Path) error {
	st, err := r.From.Lstat(file)
	if err != nil {
		return err
	}
	dir, name := path.Split(string(file))
	to, err := r.directory(orchestrator.Path(strings.TrimSuffix(dir, "/")))
	if err != nil {
		return err
	}
	defer unix.Close(to)
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return r.file(file, to, name)
	case unix.S_IFLNK:
		return r.link(file, to, name)
	}
	return errKind
}

// directory opens a directory of the target, and makes those that are missing.
func (r *bring) directory(dir orchestrator.Path) (int, error) {
	fd, err := r.To.OpenDir(dir)
	if err == nil || !errors.Is(err, unix.ENOENT) || dir == "" {
		return fd, err
	}
	above, name := path.Split(string(dir))
	parent, err := r.directory(orchestrator.Path(strings.TrimSuffix(above, "/")))
	if err != nil {
		return -1, err
	}
	defer unix.Close(parent)
	if err := unix.Mkdirat(parent, name, 0o777); err != nil && err != unix.EEXIST {
		return -1, fmt.Errorf("make directory %s: %w", dir, err)
	}
	return r.To.OpenDir(dir)
}

func (r *bring) link(file orchestrator.Path, to int, name string) error {
	target, err := r.From.Readlink(file)
	if err != nil {
		return err
	}
	inside := path.Join(path.Dir(string(file)), target)
	if path.IsAbs(target) || inside == ".." || strings.HasPrefix(inside, "../") {
		return errOutside
	}
	return already(unix.Symlinkat(target, to, name))
}

// already takes it for no error that the target has a file of that name: that
// one is the base's.
func already(err error) error {
	if err == unix.EEXIST {
		return nil
	}
	return err
}

func (r *bring) file(file orchestrator.Path, to int, name string) (err error) {
	in, err := r.From.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	st := in.Stat()
	// Until it is whole it is only ours to read.
	out, err := unix.Openat(to, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return already(err)
	}
	err = r.fill(out, in, st.Size)
	if err == nil {
		err = unix.Fchmod(out, st.Mode&0o777)
	}
	if err == nil {
		err = setTime(to, name, time.Unix(st.Mtim.Unix()))
	}
	// Some file systems report a full disk only here.
	if cerr := unix.Close(out); err == nil {
		err = cerr
	}
	if err != nil {
		_ = unix.Unlinkat(to, name, 0) // a part of it is worse than nothing
	}
	return err
}

func (r *bring) fill(out int, in *safeopen.File, size int64) error {
	if r.clone.share(out, in.Fd()) {
		return nil
	}
	r.mu.Lock()
	r.copied += size
	over := r.copied > r.Limit
	if over {
		r.copied -= size
	}
	r.mu.Unlock()
	if over {
		return errTooMuch
	}
	_, err := io.CopyN(descriptor(out), in, size)
	if err == io.EOF {
		return errors.New("became shorter while it was copied")
	}
	return err
}
