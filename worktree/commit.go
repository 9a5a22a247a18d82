package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
	"boo/worktree/internal/pack"
	"boo/worktree/internal/pack/objectid"
)

// boo is who commits what boo writes.
var boo = orchestrator.Signature{Name: "boo", Email: "boo@localhost"}

type commit struct {
	tree              orchestrator.ObjectID
	parents           []orchestrator.ObjectID
	author, committer orchestrator.Signature
	message           string
}

// Commit writes a commit object with boo as author and committer.
func (e *Engine) Commit(ctx context.Context, common orchestrator.GitDir, tree orchestrator.ObjectID, parents []orchestrator.ObjectID, message string) (orchestrator.ObjectID, error) {
	by := e.signed(boo)
	id, err := e.putCommit(ctx, common, commit{tree: tree, parents: parents, author: by, committer: by, message: message})
	return id, coded(err, "write a commit")
}

// putCommit writes a commit beside the objects that were made before it.
func (e *Engine) putCommit(ctx context.Context, common orchestrator.GitDir, c commit) (id orchestrator.ObjectID, err error) {
	objects, done, err := e.objectsFor(ctx, common, c.tree)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, done()) }()
	return objects.put(objectid.Commit, c.encode())
}

// signed gives a signature the time that it lacks.
func (e *Engine) signed(by orchestrator.Signature) orchestrator.Signature {
	if by.When.IsZero() {
		by.When = e.opts.Now()
	}
	return by
}

func (e *Engine) writeCommit(ctx context.Context, r repo, c commit) (orchestrator.ObjectID, error) {
	call := r.call("commit-tree", string(c.tree))
	for _, p := range c.parents {
		call.Args = append(call.Args, "-p", string(p))
	}
	call.Args = append(call.Args, "-F", "-")
	call.Stdin = strings.NewReader(strings.ReplaceAll(c.message, "\x00", ""))
	call.Env = append(ident("AUTHOR", c.author), ident("COMMITTER", c.committer)...)
	return e.objectFrom(ctx, call)
}

// objectFrom runs a command that prints one object id.
func (e *Engine) objectFrom(ctx context.Context, call gitcmd.Call) (orchestrator.ObjectID, error) {
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return "", err
	}
	return orchestrator.ParseObjectID(string(bytes.TrimSpace(out.Stdout)))
}

// ident renders a signature for the environment. Git refuses a name of which
// nothing is left once it has dropped what it does not store.
func ident(role string, s orchestrator.Signature) []string {
	return []string{
		"GIT_" + role + "_NAME=" + crudless(s.Name, "unknown"),
		"GIT_" + role + "_EMAIL=" + crudless(s.Email, "unknown@localhost"),
		fmt.Sprintf("GIT_%s_DATE=@%d %s", role, s.When.Unix(), s.When.Format("-0700")),
	}
}

// Blob copies the content of a blob to w, as it is recorded.
func (e *Engine) Blob(ctx context.Context, common orchestrator.GitDir, id orchestrator.ObjectID, w io.Writer) (err error) {
	objects, done, err := e.objectsFor(ctx, common, id)
	if err != nil {
		return coded(err, "read object %s", id.Short())
	}
	defer func() { err = errors.Join(err, done()) }()
	return coded(objects.blob(ctx, id, w), "read object %s", id.Short())
}

// PutBlob stores the bytes of r as a blob, as they are. It goes to the
// repository itself, which alone says what kind of ids it has.
func (e *Engine) PutBlob(ctx context.Context, common orchestrator.GitDir, r io.Reader) (orchestrator.ObjectID, error) {
	if h := holdOf(ctx); h != nil && h.at.CommonDir == common {
		return e.putHeld(ctx, h, r)
	}
	id, err := e.hashAll(ctx, common, r)
	return id, coded(err, "store a file")
}

// putHeld gathers a small blob with what was made before, and leaves a large
// one to git.
func (e *Engine) putHeld(ctx context.Context, h *hold, r io.Reader) (orchestrator.ObjectID, error) {
	s, err := h.rules()
	if err != nil {
		return "", coded(err, "store a file")
	}
	head, err := io.ReadAll(io.LimitReader(r, pack.Buffered+1))
	if err != nil {
		return "", coded(err, "store a file")
	}
	if len(head) > pack.Buffered {
		id, err := e.hashAll(ctx, h.at.CommonDir, io.MultiReader(bytes.NewReader(head), r))
		return id, coded(err, "store a file")
	}
	objects, _, err := e.objectsFor(ctx, h.at.CommonDir, s.format().EmptyTree())
	if err != nil {
		return "", coded(err, "store a file")
	}
	id, err := objects.put(objectid.Blob, head)
	return id, coded(err, "store a file")
}

func (e *Engine) hashAll(ctx context.Context, common orchestrator.GitDir, r io.Reader) (orchestrator.ObjectID, error) {
	call := shared(common, "hash-object", "-w", "--stdin", "--no-filters")
	call.Stdin = r
	return e.objectFrom(ctx, call)
}
