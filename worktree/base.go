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

// basesRefs is where commits that were made or fetched for a chat are held
// until its worktree is: a ref named after each.
const basesRefs = "refs/boo/bases/"

// Base finds or makes the commit that a new chat starts from, by the words of
// [orchestrator.BaseRequest]. A revision that names no commit is CodeNotFound,
// and CodeUnverified a remote that cannot be asked. In a repository without
// commits HEAD stands for an empty commit of boo's, always the same one, held
// by refs/boo/root. Of the person's refs none is moved.
func (e *Engine) Base(ctx context.Context, c orchestrator.Checkout, req orchestrator.BaseRequest) (orchestrator.Base, error) {
	var base orchestrator.Base
	var err error
	sources, what := remoteRefs(req.Rev)
	switch rev := req.Rev; {
	case rev == "" || rev == "HEAD" || rev == "head":
		base.Commit, err = e.start(ctx, c)
	case rev == "dirty":
		base, err = e.dirty(ctx, c)
	case len(sources) > 0:
		base.Commit, err = e.fetch(ctx, c, sources, what, req.Environ)
	default:
		base.Commit, err = e.revision(ctx, c, rev)
	}
	if err == nil {
		base.Sparse, base.ByPatterns, err = e.sparseOf(ctx, c)
	}
	return base, err
}

// start is the commit checked out, or an empty one.
func (e *Engine) start(ctx context.Context, c orchestrator.Checkout) (orchestrator.ObjectID, error) {
	if c.Head != "" {
		return c.Head, nil
	}
	root, err := e.emptyRoot(ctx, c)
	return root, coded(err, "make an empty commit to start from")
}

func (e *Engine) revision(ctx context.Context, c orchestrator.Checkout, rev string) (orchestrator.ObjectID, error) {
	if strings.HasPrefix(rev, "-") || strings.ContainsRune(rev, 0) {
		return "", orchestrator.Errorf(orchestrator.CodeInvalid, "%q is not a revision", rev)
	}
	id, err := e.resolve(ctx, c.GitDir, rev)
	if exited(err, 1, 128) {
		return "", orchestrator.Errorf(orchestrator.CodeNotFound, "%q names no commit in %s", rev, c.Dir).
			WithHint("git log --oneline --all")
	}
	return id, coded(err, "resolve %q", rev)
}

// holdBase keeps a commit that nothing else holds until a worktree does.
func (e *Engine) holdBase(ctx context.Context, common orchestrator.GitDir, id orchestrator.ObjectID) error {
	ref := basesRefs + string(id)
	now, err := e.refCommit(ctx, common, ref)
	if err != nil || now == id {
		return err
	}
	return e.MoveRef(ctx, common, ref, now, id)
}

// dropBase gives up what holdBase did, now that the worktree holds its base.
// It may be needed no more by others either: they hold it as well, or say so
// when they find it gone.
func (e *Engine) dropBase(ctx context.Context, wt orchestrator.Worktree) {
	ref := basesRefs + string(wt.Base)
	if now, err := e.refCommit(ctx, wt.CommonDir, ref); err == nil && now != "" {
		_ = e.MoveRef(ctx, wt.CommonDir, ref, now, "") // a ref too many does no harm
	}
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
