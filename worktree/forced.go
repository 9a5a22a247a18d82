package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/safeopen"

	"golang.org/x/sys/unix"
)

// forcedFiles are the files in the agent's own index that the base has not:
// those among them that are ignored were added by force.
type forcedFiles struct {
	paths []orchestrator.Path
	seen  unix.Stat_t // of the index, before it was read
}

// read fills in what the agent's index has now.
func (f *forcedFiles) read(p *inProcess) error {
	path := adminOf(p.wt).file("index")
	*f = forcedFiles{}
	if err := unix.Lstat(path, &f.seen); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("%w: %w", errUnusual, err)
	}
	if sameTrailer(path, p.repo.index, p.format.Size()) {
		return nil // as boo has made it
	}
	index, err := dircache.Read(path, p.format)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	base := p.index.Entries()
	for _, entry := range index.Entries() {
		for len(base) > 0 && base[0].Path < entry.Path {
			base = base[1:]
		}
		if len(base) > 0 && base[0].Path == entry.Path {
			continue
		}
		if entry.Mode == orchestrator.ModeGitlink {
			return unusually("%s is a repository that was added", entry.Path)
		}
		f.paths = append(f.paths, entry.Path)
	}
	f.paths = slices.Compact(f.paths)
	return nil
}

// there returns the files that are in the tree. A directory is no file of the
// agent's any more.
func (f *forcedFiles) there(p *inProcess) ([]orchestrator.Path, error) {
	var files []orchestrator.Path
	for _, path := range f.paths {
		st, err := p.root.Lstat(path)
		if err == nil && dircache.ModeOf(&st) != orchestrator.ModeGitlink {
			files = append(files, path)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, safeopen.ErrSymlink) {
			return nil, fmt.Errorf("%w: %w", errUnusual, err)
		}
	}
	return files, nil
}

// stale reports whether the agent's index may be another one by now than the one that
// was read at a time.
func (f *forcedFiles) stale(wt orchestrator.Worktree, began time.Time) bool {
	var now unix.Stat_t
	if err := unix.Lstat(adminOf(wt).file("index"), &now); err != nil {
		now = unix.Stat_t{}
	}
	return dircache.StatOf(&now) != dircache.StatOf(&f.seen) || !dircache.StatOf(&now).Mtime().Before(began)
}
