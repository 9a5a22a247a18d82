package main

import (
	"fmt"

	"boo/orchestrator"
)

// worktreeConfig is the [worktree] table of config.toml.
type worktreeConfig struct {
	// Spares is how many worktrees the daemon keeps ready per repository in use.
	Spares int `toml:"spares"`
	// MinFree is how much of the disk no worktree is made of.
	MinFree byteSize `toml:"min_free"`
	// Watched is how many worktrees the daemon watches between turns.
	Watched int `toml:"watched"`
	// MaxFile is the largest file that a snapshot has.
	MaxFile byteSize `toml:"max_file"`
	// LFS is what becomes of files that are kept with Git LFS.
	LFS string `toml:"lfs"`
}

// These bound what a slip of the finger takes of the disk, and of the watches
// that the system gives a user.
const (
	mostSpares  = 10
	mostWatched = 100
	// Above 2 GB git keeps files in another way.
	mostFile = byteSize(1 << 30)
)

// Files that are kept with Git LFS have their contents in new worktrees, which
// are fetched where they are not on this machine, or are left as pointers.
const (
	lfsFetch = "fetch"
	lfsSkip  = "skip"
)

func defaultWorktree() worktreeConfig {
	return worktreeConfig{Spares: 1, MinFree: 2 << 30, Watched: 4, MaxFile: 50 << 20, LFS: lfsFetch}
}

// check names the first setting that makes no sense, and why.
func (c worktreeConfig) check() (key string, err error) {
	if c.Spares < 0 || c.Spares > mostSpares {
		return "spares", fmt.Errorf("%d is not a number of worktrees from 0 to %d", c.Spares, mostSpares)
	}
	if c.Watched < 0 || c.Watched > mostWatched {
		return "watched", fmt.Errorf("%d is not a number of worktrees from 0 to %d", c.Watched, mostWatched)
	}
	if c.MaxFile <= 0 || c.MaxFile > mostFile {
		return "max_file", fmt.Errorf("%s is not a size from 1 byte to %s", orchestrator.Bytes(int64(c.MaxFile)), orchestrator.Bytes(int64(mostFile)))
	}
	if c.LFS != lfsFetch && c.LFS != lfsSkip {
		return "lfs", fmt.Errorf("%q is neither %q nor %q", c.LFS, lfsFetch, lfsSkip)
	}
	return "", nil
}
