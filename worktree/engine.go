package worktree

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
)

// GitError is a git command that did not succeed; it is in the chain of every
// error that came from git.
type GitError = gitcmd.Error

// Options are what an engine needs to know of its surroundings. Only Dir has
// no default.
type Options struct {
	// Dir is a directory of boo's own, absolute, made when it is not there
	// (0700). It holds private git directories and indexes, all of which can
	// be rebuilt.
	Dir string
	// Git is the git binary; "git" on PATH when empty. 2.38 or later.
	Git string
	// Environ is the person's environment; that of the process when nil.
	Environ []string
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// MaxFile is the size in bytes above which a file is left out of a
	// snapshot; 50 MB when 0.
	MaxFile int64
	// MaxUntracked is the number of untracked files above which the fullest
	// directories are left out of a snapshot; 20,000 when 0.
	MaxUntracked int
	// MaxPacks is the number of packs of boo's in a repository above which
	// [Engine.Maintain] makes one of them; 20 when 0.
	MaxPacks int
	// MaxInclude is how many bytes of ignored files may be copied into a new
	// worktree where they cannot be shared; 2 GB when 0.
	MaxInclude int64
	// MaxSpare is how many bytes of files a spare may have; 4 GB when 0.
	MaxSpare int64
	// MinFree is how many bytes of the disk a spare must leave free; 5 GB when 0.
	MinFree int64
	// SkipLFS leaves files that are kept with Git LFS as pointers. Otherwise new
	// worktrees have their contents, where the person's git uses Git LFS.
	SkipLFS bool
	// Fallback, if not nil, is told why a snapshot is left to git, which is
	// slower, or with [ErrUnwatched] to a scan. It may be called concurrently.
	Fallback func(why error)
}

// Engine makes, records and compares worktrees. It keeps no state in memory but for
// watches; every method may be called concurrently, and those that work on one chat's
// worktree are serialised by the chat's lock, which the caller holds.
type Engine struct {
	git  runner
	dir  string
	opts Options

	resting resting
	temp    temp
}

var _ orchestrator.Trees = (*Engine)(nil)

// New returns an engine. Its directory is there when it returns.
func New(opts Options) (*Engine, error) {
	dir, err := orchestrator.ParseDir[orchestrator.GitDir](opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("choose the directory for git files: %w", err)
	}
	for _, sub := range []string{"", "chats", "checkouts", "plain", "scratch", "tmp"} {
		if err := os.MkdirAll(filepath.Join(string(dir), sub), 0o700); err != nil {
			return nil, coded(err, "make the directory for git files")
		}
	}
	dropStale(filepath.Join(string(dir), "tmp"), time.Now().Add(-24*time.Hour))
	opts.Git = cmp.Or(opts.Git, "git")
	opts.MaxFile = cmp.Or(opts.MaxFile, 50<<20)
	opts.MaxUntracked = cmp.Or(opts.MaxUntracked, 20_000)
	opts.MaxPacks = cmp.Or(opts.MaxPacks, 20)
	opts.MaxInclude = cmp.Or(opts.MaxInclude, 2<<30)
	opts.MaxSpare = cmp.Or(opts.MaxSpare, 4<<30)
	opts.MinFree = cmp.Or(opts.MinFree, 5<<30)
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Engine{git: runner{gitcmd.New(opts.Git, opts.Environ)}, dir: string(dir), opts: opts}, nil
}

// Version returns git's own version, such as "2.39.5".
func (e *Engine) Version(ctx context.Context) (string, error) {
	out, err := e.git.Run(ctx, gitcmd.Call{Args: []string{"version"}})
	if err != nil {
		return "", coded(err, "ask git for its version")
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out.Stdout)), "git version "), nil
}
