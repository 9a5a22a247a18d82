package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
)

// Landing a change in the person's index or on a branch of theirs is done by
// git on the repository itself, with everything off that could run a program:
// no hook, no signing, no monitor.

// At returns the entries that a commit or tree has at paths; a path that is not
// there, or is a directory, has the zero Entry.
func (e *Engine) At(ctx context.Context, common orchestrator.GitDir, tree orchestrator.ObjectID, paths []orchestrator.Path) (found map[orchestrator.Path]orchestrator.Entry, err error) {
	found = make(map[orchestrator.Path]orchestrator.Entry, len(paths))
	if tree == "" {
		return found, nil
	}
	objects, done, err := e.objectsFor(ctx, common, tree)
	if err != nil {
		return nil, coded(err, "read tree %s", tree.Short())
	}
	defer func() { err = errors.Join(err, done()) }()
	o := overlay{ctx: ctx, objects: objects}
	trees := map[orchestrator.Path]map[string]orchestrator.Entry{}
	for _, p := range paths {
		entry, err := o.entry(tree, trees, p)
		if err != nil {
			return nil, coded(err, "read tree %s", tree.Short())
		}
		if entry.Mode != modeTree {
			found[p] = entry
		}
	}
	return found, nil
}

// entry finds what a tree has at a path; trees keeps the directories read.
func (o *overlay) entry(top orchestrator.ObjectID, trees map[orchestrator.Path]map[string]orchestrator.Entry, p orchestrator.Path) (orchestrator.Entry, error) {
	dir, name := orchestrator.Path(""), string(p)
	at := orchestrator.Entry{Mode: modeTree, ID: top}
	if i := strings.LastIndexByte(string(p), '/'); i >= 0 {
		dir, name = p[:i], string(p[i+1:])
	}
	names, known := trees[dir]
	if !known {
		if dir != "" {
			var err error
			if at, err = o.entry(top, trees, dir); err != nil {
				return at, err
			}
		}
		names = map[string]orchestrator.Entry{}
		if at.Mode == modeTree {
			var err error
			if names, err = o.load(at.ID); err != nil {
				return orchestrator.Entry{}, err
			}
		}
		trees[dir] = names
	}
	return names[name], nil
}

// CheckedOut returns what the checkout's HEAD names: the ref that a commit there
// would move ("HEAD" itself if it is detached), and the commit, "" on a branch
// without any. CodeConflict in the midst of a merge, a rebase or the like.
func (e *Engine) CheckedOut(ctx context.Context, c orchestrator.Checkout) (ref string, commit orchestrator.ObjectID, err error) {
	for _, busy := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG"} {
		if _, err := os.Lstat(filepath.Join(string(c.GitDir), busy)); err == nil {
			return "", "", orchestrator.Errorf(orchestrator.CodeConflict, "%s is in the midst of a merge, a rebase or the like (%s)", c.Dir, busy).
				WithHint("git status")
		}
	}
	ref = "HEAD"
	if out, err := e.git.Run(ctx, own(c, "symbolic-ref", "-q", "HEAD")); err == nil {
		ref = strings.TrimSpace(string(out.Stdout))
	}
	out, err := e.git.Run(ctx, own(c, "rev-parse", "-q", "--verify", "HEAD^{commit}"))
	if exited(err, 1) && ref != "HEAD" {
		return ref, "", nil
	}
	if err != nil {
		return "", "", coded(err, "read HEAD of %s", c.Dir)
	}
	commit, err = orchestrator.ParseObjectID(strings.TrimSpace(string(out.Stdout)))
	return ref, commit, err
}

// MoveBranch moves HEAD, or a ref below refs/heads/, from old ("" for not
// there) to new ("" to delete), with an entry in its log. CodeConflict when it
// was not at old.
func (e *Engine) MoveBranch(ctx context.Context, c orchestrator.Checkout, ref string, old, new orchestrator.ObjectID, message string) error {
	if ref != "HEAD" && !strings.HasPrefix(ref, "refs/heads/") {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "%q is not a branch", ref)
	}
	args := []string{"update-ref", "--no-deref", "-m", message}
	switch {
	case new == "":
		args = append(args, "-d", ref, string(old))
	case old == "":
		args = append(args, "--create-reflog", ref, string(new), strings.Repeat("0", len(new)))
	default:
		args = append(args, ref, string(new), string(old))
	}
	call := own(c, args...)
	call.Env = ident("COMMITTER", e.signed(e.Person(ctx, c.CommonDir)))
	err := e.alone(ctx, c, call)
	if err == nil {
		return nil
	}
	now, lookErr := e.BranchAt(ctx, c, ref)
	if lookErr == nil && now != old {
		return orchestrator.Errorf(orchestrator.CodeConflict, "%s was moved by somebody else", ref)
	}
	return coded(err, "move %s", ref)
}

// BranchAt returns the commit of HEAD or a branch, "" if it is not there.
func (e *Engine) BranchAt(ctx context.Context, c orchestrator.Checkout, ref string) (orchestrator.ObjectID, error) {
	out, err := e.git.Run(ctx, own(c, "rev-parse", "-q", "--verify", ref+"^{commit}"))
	if exited(err, 1) {
		return "", nil
	}
	if err != nil {
		return "", coded(err, "read %s", ref)
	}
	return orchestrator.ParseObjectID(strings.TrimSpace(string(out.Stdout)))
}

// BranchRef turns the name of a branch into its ref. CodeInvalid for a name
// that git does not take.
func (e *Engine) BranchRef(ctx context.Context, c orchestrator.Checkout, name string) (string, error) {
	if _, err := e.git.Run(ctx, own(c, "check-ref-format", "--branch", name)); err != nil || strings.HasPrefix(name, "@{") {
		return "", orchestrator.Errorf(orchestrator.CodeInvalid, "%q is no name for a branch", name)
	}
	return "refs/heads/" + name, nil
}

// CommitAs writes a commit of the person's.
func (e *Engine) CommitAs(ctx context.Context, common orchestrator.GitDir, by orchestrator.Signature, tree orchestrator.ObjectID, parents []orchestrator.ObjectID, message string) (orchestrator.ObjectID, error) {
	by = e.signed(by)
	id, err := e.putCommit(ctx, common, commit{tree: tree, parents: parents, author: by, committer: by, message: message})
	return id, coded(err, "write a commit")
}

// own points a command at a checkout's own git directory and index.
func own(c orchestrator.Checkout, args ...string) gitcmd.Call {
	return gitcmd.Call{Args: args, GitDir: string(c.GitDir), WorkTree: string(c.Dir)}
}
