package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"boo/orchestrator"
)

// dirty records the checkout as it stands, as a commit on the one checked out.
// It is a snapshot like those of chats, from a private index; the checkout, its
// index and the person's refs are only read.
func (e *Engine) dirty(ctx context.Context, c orchestrator.Checkout) (orchestrator.Base, error) {
	head, err := e.start(ctx, c)
	if err != nil {
		return orchestrator.Base{}, err
	}
	base, err := e.commitDirty(ctx, c, head)
	return base, coded(err, "record the uncommitted work in %s", c.Dir)
}

func (e *Engine) commitDirty(ctx context.Context, c orchestrator.Checkout, head orchestrator.ObjectID) (base orchestrator.Base, err error) {
	base.Commit = head
	base.Skipped, err = e.recordCheckout(ctx, c, head, func(git repo, files orchestrator.ObjectID, bringIn func() error) error {
		tree, err := e.objectFrom(ctx, git.call("rev-parse", "--verify", string(head)+"^{tree}"))
		if err != nil || tree == files {
			return err
		}
		by := e.Person(ctx, c.CommonDir)
		base.Commit, err = e.writeCommit(ctx, git, commit{
			tree: files, parents: []orchestrator.ObjectID{head}, author: by, committer: e.signed(boo), message: "boo: uncommitted work\n",
		})
		if err != nil {
			return err
		}
		if err := bringIn(); err != nil {
			return err
		}
		return e.holdBase(ctx, c.CommonDir, base.Commit)
	})
	return base, err
}

// recordCheckout writes the files of a checkout as a tree. Its objects are not
// in the repository before settle has called bringIn, and safe from a garbage
// collection of that very moment until settle returns.
func (e *Engine) recordCheckout(ctx context.Context, c orchestrator.Checkout, head orchestrator.ObjectID, settle func(git repo, files orchestrator.ObjectID, bringIn func() error) error) ([]orchestrator.SkippedPath, error) {
	temp, remove, err := e.tempDir("dirty")
	if err != nil {
		return nil, err
	}
	defer remove()
	r, err := e.besides(ctx, c, head, temp)
	if err != nil {
		return nil, err
	}
	as := orchestrator.Worktree{CommonDir: c.CommonDir, Dir: orchestrator.WorktreeDir(c.Dir), Base: head}
	objects := filepath.Join(temp, "objects")
	if err := os.Mkdir(objects, 0o700); err != nil {
		return nil, err
	}
	snap, err := e.record(ctx, as, r.aside(objects), orchestrator.Snapshot{})
	if err != nil {
		return nil, err
	}
	plain, err := e.plain(c.CommonDir, head)
	if err != nil {
		return nil, err
	}
	var keep string
	err = settle(plain.aside(objects), snap.Tree, func() error {
		written, err := e.bringIn(as, objects)
		keep = written.Keep
		return err
	})
	if keep != "" {
		_ = os.Remove(keep) // the next one takes it away if this one does not
	}
	return snap.Skipped, err
}

// Files returns the tree of a checkout's files as they are now. Its objects are
// in the repository, but nothing refers to them. Ignored files are left out, and
// those that a snapshot leaves out, which are returned. The checkout, its index
// and the person's refs are only read.
func (e *Engine) Files(ctx context.Context, c orchestrator.Checkout) (tree orchestrator.ObjectID, skipped []orchestrator.SkippedPath, err error) {
	head, err := e.start(ctx, c)
	if err != nil {
		return "", nil, err
	}
	skipped, err = e.recordCheckout(ctx, c, head, func(_ repo, files orchestrator.ObjectID, bringIn func() error) error {
		tree = files
		return bringIn()
	})
	return tree, skipped, coded(err, "read the files of %s", c.Dir)
}

// besides gives access to the files of a checkout through a git directory and
// an index in temp, which is at head but keeps what the person's own index
// knows: the times of files, and which of them a sparse checkout leaves out.
func (e *Engine) besides(ctx context.Context, c orchestrator.Checkout, head orchestrator.ObjectID, temp string) (repo, error) {
	r := repo{
		gitDir: filepath.Join(temp, "git"), objects: objectsOf(c.CommonDir), workTree: string(c.Dir),
		index: filepath.Join(temp, "index"), own: filepath.Join(string(c.GitDir), "index"),
	}
	s, err := e.carry(ctx, c.GitDir, c.CommonDir)
	if err != nil {
		return repo{}, err
	}
	if err := writeGitDir(r.gitDir, s); err != nil {
		return repo{}, err
	}
	if err := replaceFile(filepath.Join(r.gitDir, "HEAD"), []byte(head+"\n")); err != nil {
		return repo{}, err
	}
	if err := copyIndex(r.own, r.index); err != nil && !errors.Is(err, os.ErrNotExist) {
		return repo{}, err
	}
	if _, err := e.git.Run(ctx, r.call("read-tree", "--reset", string(head))); err == nil {
		return r, nil
	}
	return r, e.reindex(ctx, c, r, head)
}

// reindex makes the index of besides where the person's cannot be read from
// another place, such as a split one.
func (e *Engine) reindex(ctx context.Context, c orchestrator.Checkout, r repo, head orchestrator.ObjectID) error {
	out, err := e.git.Run(ctx, shared(c.GitDir, "ls-files", "-t", "-z"))
	if err != nil {
		return fmt.Errorf("list the files of %s: %w", c.Dir, err)
	}
	if err := os.RemoveAll(r.index); err != nil {
		return err
	}
	if _, err := e.git.Run(ctx, r.call("read-tree", string(head))); err != nil {
		return fmt.Errorf("index %s: %w", head.Short(), err)
	}
	return e.leaveOutside(ctx, r, outside(out.Stdout))
}
