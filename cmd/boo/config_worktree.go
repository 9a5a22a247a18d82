package main

import "fmt"

// worktreeConfig is the [worktree] table of config.toml.
type worktreeConfig struct {
	// Spares is how many worktrees the daemon keeps ready per repository in use.
	Spares int `toml:"spares"`
	// MinFree is how much of the disk no worktree is made of.
	MinFree byteSize `toml:"min_free"`
}

// mostSpares bounds what a slip of the finger takes of the disk.
const mostSpares = 10

func defaultWorktree() worktreeConfig { return worktreeConfig{Spares: 1, MinFree: 2 << 30} }

// check names the first setting that makes no sense, and why.
func (c worktreeConfig) check() (key string, err error) {
	if c.Spares < 0 || c.Spares > mostSpares {
		return "spares", fmt.Errorf("%d is not a number of worktrees from 0 to %d", c.Spares, mostSpares)
	}
	return "", nil
}
