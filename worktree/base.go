package worktree

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"boo/orchestrator"
)

// rootRef holds the empty commit that chats in a repository without commits
// start from.
const rootRef = "refs/boo/root"

// Base resolves the commit that a new chat starts from; rev as git rev-parse
// takes it, "" for HEAD. A revision that names no commit is CodeNotFound. In a
// repository without commits HEAD stands for an empty commit of boo's, always
// the same one, held by refs/boo/root.
func (e *Engine) Base(ctx context.Context, c orchestrator.Checkout, rev string) (orchestrator.ObjectID, error) {
	if strings.HasPrefix(rev, "-") || strings.ContainsRune(rev, 0) {
		return "", orchestrator.Errorf(orchestrator.CodeInvalid, "%q is not a revision", rev)
	}
	if rev == "" || rev == "HEAD" || rev == "head" {
		if c.Head != "" {
			return c.Head, nil
		}
		root, err := e.emptyRoot(ctx, c)
		if err != nil {
			return "", coded(err, "make an empty commit to start from")
		}
		return root, nil
	}
	id, err := e.resolve(ctx, c.GitDir, rev)
	switch {
	case exited(err, 1, 128):
		return "", orchestrator.Errorf(orchestrator.CodeNotFound, "%q names no commit in %s", rev, c.Dir).
			WithHint("git log --oneline --all")
	case err != nil:
		return "", coded(err, "resolve %q", rev)
	}
	return id, nil
}

// anyID returns an id of the repository's object format, which names nothing.
func (e *Engine) anyID(ctx context.Context, dir orchestrator.GitDir) (orchestrator.ObjectID, error) {
	out, err := e.git.Run(ctx, shared(dir, "rev-parse", "--show-object-format"))
	if err != nil {
		return "", fmt.Errorf("ask for the object format: %w", err)
	}
	if string(bytes.TrimSpace(out.Stdout)) == "sha256" {
		return orchestrator.ObjectID(strings.Repeat("0", 64)), nil
	}
	return orchestrator.ObjectID(strings.Repeat("0", 40)), nil
}

func (e *Engine) emptyRoot(ctx context.Context, c orchestrator.Checkout) (orchestrator.ObjectID, error) {
	like, err := e.anyID(ctx, c.GitDir)
	if err != nil {
		return "", err
	}
	r, err := e.plain(c.CommonDir, like)
	if err != nil {
		return "", err
	}
	tree, err := e.emptyTree(ctx, r)
	if err != nil {
		return "", err
	}
	epoch := orchestrator.Signature{Name: boo.Name, Email: boo.Email, When: time.Unix(0, 0).UTC()}
	root, err := e.writeCommit(ctx, r, commit{tree: tree, author: epoch, committer: epoch, message: "An empty place to start from\n"})
	if err != nil {
		return "", err
	}
	now, err := e.ref(ctx, c.CommonDir, rootRef)
	if err != nil || now.Commit == root {
		return root, err
	}
	return root, e.MoveRef(ctx, c.CommonDir, rootRef, now.Commit, root)
}
