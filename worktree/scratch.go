package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"boo/orchestrator"
)

// scratchDir holds one scratch: its files, and the file that says whose
// repository knows it. That file is there before anything else of it is, and
// goes last, so that no part of one is ever out of sight.
func (e *Engine) scratchDir(name orchestrator.ChatID) string {
	return filepath.Join(e.dir, "scratch", string(name))
}

// scratch is the worktree of that name, with what a listing can tell of it.
func (e *Engine) scratch(name orchestrator.ChatID, common orchestrator.GitDir) orchestrator.Worktree {
	return orchestrator.Worktree{
		Chat: name, CommonDir: common, Dir: orchestrator.WorktreeDir(filepath.Join(e.scratchDir(name), "tree")),
		State: orchestrator.WorktreeActive,
	}
}

// MakeScratch makes a worktree that has a tree, as a commit on the checkout's
// HEAD, with git's own conversions and no filter. The commit is held by the
// worktree alone. It is no chat's: no ref tells of it. On error nothing of it is
// left.
func (e *Engine) MakeScratch(ctx context.Context, c orchestrator.Checkout, name orchestrator.ChatID, tree orchestrator.ObjectID) (wt orchestrator.Worktree, err error) {
	wt = e.scratch(name, c.CommonDir)
	wt.Source = c.Dir
	if wt.Base, err = e.commitScratch(ctx, c, tree); err != nil {
		return wt, coded(err, "commit tree %s", tree.Short())
	}
	if err := os.Mkdir(e.scratchDir(name), 0o700); err != nil {
		return wt, coded(err, "make scratch %s", name)
	}
	defer func() {
		if err == nil {
			return
		}
		// The caller's context may be what ended the attempt.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		err = errors.Join(err, e.DropScratch(ctx, wt))
	}()
	err = replaceFile(e.scratchRepo(name), []byte(c.CommonDir))
	if err == nil {
		err = register(wt, lockReason(wt.Chat))
	}
	if err == nil {
		err = e.fill(ctx, wt)
	}
	return wt, coded(err, "make scratch %s", wt.Dir)
}

func (e *Engine) scratchRepo(name orchestrator.ChatID) string {
	return filepath.Join(e.scratchDir(name), "repository")
}

func (e *Engine) commitScratch(ctx context.Context, c orchestrator.Checkout, tree orchestrator.ObjectID) (orchestrator.ObjectID, error) {
	head, err := e.start(ctx, c)
	if err != nil {
		return "", err
	}
	r, err := e.plain(c.CommonDir, head)
	if err != nil {
		return "", err
	}
	by := e.Person(ctx, c.CommonDir)
	return e.writeCommit(ctx, r, commit{
		tree: tree, parents: []orchestrator.ObjectID{head}, author: by, committer: e.signed(boo), message: "boo: changes that are checked\n",
	})
}

// DropScratch removes a scratch with all that commands have put into it, or what
// is left of one. It may be cut off and called again.
func (e *Engine) DropScratch(_ context.Context, wt orchestrator.Worktree) error {
	if err := removeStubborn(string(wt.Dir)); err != nil {
		return coded(err, "remove scratch %s", wt.Dir)
	}
	if err := os.RemoveAll(e.chatDir(wt.Chat)); err != nil {
		return coded(err, "remove scratch %s", wt.Dir)
	}
	if wt.CommonDir != "" {
		if err := dropContents(wt.CommonDir, wt.Chat); err != nil {
			return coded(err, "remove scratch %s", wt.Dir)
		}
		a := adminOf(wt)
		if err := os.RemoveAll(string(a)); err != nil {
			return coded(err, "remove scratch %s", wt.Dir)
		}
		_ = os.Remove(filepath.Dir(string(a))) // fails while other worktrees are registered, as it should
	}
	return coded(os.RemoveAll(e.scratchDir(wt.Chat)), "remove scratch %s", wt.Dir)
}

// removeStubborn removes a directory, also one whose own directories may not be
// written to, as build caches are.
func removeStubborn(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	root, err := os.OpenRoot(dir) // a symlink in it leads nowhere else
	if err != nil {
		return err
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = root.Chmod(path, 0o700) // before it is listed
		}
		return nil
	}) // what it cannot change, the removal tells
	return os.RemoveAll(dir)
}

// Scratches lists what is there of scratches, whoever made them. Without any it
// costs the listing of an empty directory.
func (e *Engine) Scratches(context.Context) ([]orchestrator.Worktree, error) {
	entries, err := os.ReadDir(filepath.Join(e.dir, "scratch"))
	if err != nil {
		return nil, coded(err, "list scratches")
	}
	var list []orchestrator.Worktree
	for _, entry := range entries {
		name, err := orchestrator.ParseChatID(entry.Name())
		if err != nil {
			continue // not boo's
		}
		common, err := readSmall(e.scratchRepo(name), 64<<10)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read whose scratch %s is: %w", name, err)
		}
		list = append(list, e.scratch(name, orchestrator.GitDir(common)))
	}
	return list, nil
}
