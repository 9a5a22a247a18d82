package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"

	"golang.org/x/sys/unix"
)

// Restore makes a worktree again whose directory is gone, at the same place,
// with the same base: the files are those of the chat's newest snapshot
// (tracked and untracked ones, their modes, symlinks), HEAD is detached at the
// commit where it was last seen, and the index is at HEAD, so that "git status"
// there shows the work as changes; ignored files that were added by force are
// in it. What no snapshot has is not back, see [Engine.Unkeep] for that: ignored
// files, what was staged, the branch that HEAD was on. A merge or rebase that was
// half done, and empty directories, never are.
//
// The directory appears last and as a whole, its files on the disk; what a
// Restore that was cut off has left is cleared by the next one. CodeConflict if
// something stands at wt.Dir; CodeNotFound if the repository is gone.
func (e *Engine) Restore(ctx context.Context, wt orchestrator.Worktree) error {
	if err := repoThere(wt); err != nil {
		return err
	}
	if _, err := os.Lstat(string(wt.Dir)); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return coded(err, "look at worktree %s", wt.Dir)
		}
		return inTheWay(wt)
	}
	return coded(e.restore(ctx, wt), "restore worktree %s", wt.Dir)
}

func inTheWay(wt orchestrator.Worktree) error {
	return orchestrator.Errorf(orchestrator.CodeConflict, "something else stands at %s, where the worktree of chat %s was; nothing was changed", wt.Dir, wt.Chat).
		WithHint("mv %s elsewhere, then: boo worktree repair %s", quoteShell(string(wt.Dir)), wt.Chat)
}

func (e *Engine) restore(ctx context.Context, wt orchestrator.Worktree) (err error) {
	newest, err := e.Newest(ctx, wt)
	if err != nil {
		return err
	}
	head, err := e.lastHead(ctx, wt)
	if err != nil {
		return err
	}
	// Half a worktree must not be taken for one in which files were deleted.
	draft := wt
	draft.Dir += ".restoring"
	defer func() { err = errors.Join(err, os.RemoveAll(string(draft.Dir))) }()
	if err := e.startDraft(wt, draft, head); err != nil {
		return err
	}
	if err := e.fill(ctx, draft); err != nil {
		return err
	}
	if err := e.advance(ctx, draft, newest, head); err != nil {
		return err
	}
	if r, filtered, err := e.filteredChat(ctx, draft); err != nil {
		return err
	} else if filtered {
		if _, err := e.fillIn(ctx, draft, r, r.index, r.own); err != nil {
			return err
		}
	}
	if err := syncFileSystem(string(draft.Dir)); err != nil {
		return err
	}
	return os.Rename(string(draft.Dir), string(wt.Dir))
}

// startDraft registers wt and makes the directory that is to become it.
func (e *Engine) startDraft(wt, draft orchestrator.Worktree, head orchestrator.ObjectID) error {
	if err := os.RemoveAll(string(draft.Dir)); err != nil {
		return err
	}
	if err := reregister(wt, head); err != nil {
		return err
	}
	if err := endOperations(adminOf(wt)); err != nil {
		return err
	}
	if err := e.dropIndex(wt.Chat); err != nil {
		return err
	}
	if err := os.MkdirAll(string(draft.Dir), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(string(draft.Dir), ".git"), []byte(adminOf(wt).dotGit()), 0o666)
}

// reregister writes what is missing or wrong of a registration.
func reregister(wt orchestrator.Worktree, head orchestrator.ObjectID) error {
	a := adminOf(wt)
	if err := os.MkdirAll(string(a), 0o777); err != nil {
		return fmt.Errorf("register the worktree: %w", err)
	}
	for _, f := range registration(wt, head, lockReason(wt.Chat)) {
		if err := replaceFile(a.file(f.name), []byte(f.content)); err != nil {
			return fmt.Errorf("register the worktree: %w", err)
		}
	}
	return nil
}

// operations are what git keeps of things that are half done, by the name of
// what is being done; see git-status(1).
var operations = []struct{ file, what string }{
	{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"},
	{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"BISECT_LOG", "bisect"},
}

// endOperations forgets the index and what was half done in it.
func endOperations(a admin) error {
	for _, name := range []string{"index", "index.lock", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "REBASE_HEAD", "sequencer"} {
		if err := os.RemoveAll(a.file(name)); err != nil {
			return err
		}
	}
	for _, op := range operations {
		if err := os.RemoveAll(a.file(op.file)); err != nil {
			return err
		}
	}
	return nil
}

// advance takes the files of a worktree from the base to a snapshot, and its
// own index to HEAD. Boo's index stays at the base.
func (e *Engine) advance(ctx context.Context, wt orchestrator.Worktree, to orchestrator.Snapshot, head orchestrator.ObjectID) error {
	if to.Commit == "" && head == wt.Base {
		return nil
	}
	r, err := e.chat(ctx, wt)
	if err != nil {
		return err
	}
	temp, remove, err := e.tempDir("restore")
	if err != nil {
		return err
	}
	defer remove()
	files, own := filepath.Join(temp, "files"), filepath.Join(temp, "own")
	if err := copyIndex(r.index, files); err != nil {
		return err
	}
	if to.Commit != "" {
		if _, err := e.git.Run(ctx, r.with(files).call("read-tree", "--reset", "-u", string(to.Tree))); err != nil {
			return fmt.Errorf("write the files of snapshot %s: %w", to.Commit.Short(), noteFull(err, string(wt.Dir)))
		}
	}
	if err := copyIndex(files, own); err != nil {
		return err
	}
	if _, err := e.git.Run(ctx, r.with(own).call("read-tree", "-m", string(head))); err != nil {
		return fmt.Errorf("make the index at %s: %w", head.Short(), err)
	}
	if err := e.keepForced(ctx, r, files, own, head); err != nil {
		return err
	}
	if err := os.Remove(adminOf(wt).file("index")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return copyIndex(own, adminOf(wt).file("index"))
}

// keepForced adds to the worktree's own index the files that the ignore rules
// would leave out of it: by that a snapshot knows that they were added by
// force.
func (e *Engine) keepForced(ctx context.Context, r repo, files, own string, head orchestrator.ObjectID) error {
	out, err := e.git.Run(ctx, r.with(files).call("ls-files", "-s", "-z", "--cached", "--ignored", "--exclude-standard"))
	if err != nil || len(out.Stdout) == 0 {
		return err
	}
	added, err := e.git.Run(ctx, r.with(files).call("diff-index", "-z", "--cached", "--name-only", "--diff-filter=A", string(head)))
	if err != nil {
		return err
	}
	isNew := map[string]bool{}
	for path := range strings.SplitSeq(string(added.Stdout), "\x00") {
		isNew[path] = true
	}
	var forced strings.Builder
	for line := range strings.SplitSeq(string(out.Stdout), "\x00") {
		if _, path, ok := strings.Cut(line, "\t"); ok && isNew[path] {
			forced.WriteString(line + "\x00")
		}
	}
	if forced.Len() == 0 {
		return nil
	}
	call := r.with(own).call("update-index", "-z", "--index-info")
	call.Stdin = strings.NewReader(forced.String())
	_, err = e.git.Run(ctx, call)
	return err
}

// syncFileSystem brings the file system that dir is on to the disk.
func syncFileSystem(dir string) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	return errors.Join(unix.Syncfs(fd), unix.Close(fd))
}
