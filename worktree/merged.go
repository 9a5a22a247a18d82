package worktree

import (
	"context"
	"strconv"
	"strings"

	"boo/orchestrator"
)

// What is compared with the content of a worktree's commits is bounded: commits
// that are not found among so many count as not merged.
const (
	mostCandidates  = 300
	mostMergedPaths = 300
)

// mergedByContent reports whether branches have what commits did, though not the
// commits: the same change as a whole (a squash), or that of each commit (picked
// or rebased).
func (e *Engine) mergedByContent(ctx context.Context, wt orchestrator.Worktree, head orchestrator.ObjectID, own map[orchestrator.ObjectID]lonely) (bool, error) {
	r, err := e.plain(wt.CommonDir, wt.Base)
	if err != nil || len(own) > mostCandidates {
		return false, err
	}
	if _, err := e.git.Run(ctx, r.call("merge-base", "--is-ancestor", string(wt.Base), string(head))); err != nil {
		return false, err
	}
	out, err := e.git.Run(ctx, r.call("diff-tree", "-r", "-z", "--numstat", "--no-renames", string(wt.Base), string(head)))
	if err != nil {
		return false, err
	}
	paths, comparable := linesOf(out.Stdout)
	if len(paths) == 0 || len(paths) > mostMergedPaths || !comparable {
		return false, nil // commits without a change are messages at least
	}
	whole, err := e.git.Run(ctx, r.call("diff-tree", "-p", "--full-index", "--no-renames", string(wt.Base), string(head)))
	if err != nil {
		return false, err
	}
	squashed, err := e.patchIDs(ctx, r, append([]byte("commit "+string(head)+"\n"), whole.Stdout...))
	if err != nil {
		return false, err
	}
	candidates, err := e.candidates(ctx, wt, r, paths)
	if err != nil {
		return false, err
	}
	if have := candidates[squashed[head]]; have && squashed[head] != "" {
		return true, nil
	}
	return e.eachPicked(ctx, r, own, candidates)
}

// linesOf reads the paths that a --numstat names, and whether the changes are
// all ones of lines: a patch id says nothing of binary files and modes.
func linesOf(numstat []byte) (paths []string, all bool) {
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(numstat), "\x00"), "\x00") {
		f := strings.SplitN(entry, "\t", 3)
		if len(f) < 3 {
			continue
		}
		if f[0] == "-" || f[0] == "0" && f[1] == "0" {
			return nil, false
		}
		paths = append(paths, f[2])
	}
	return paths, true
}

// eachPicked reports whether the change of every commit is among the candidates.
func (e *Engine) eachPicked(ctx context.Context, r repo, own map[orchestrator.ObjectID]lonely, candidates map[string]bool) (bool, error) {
	var ids []string
	for id, c := range own {
		if len(c.parents) != 1 {
			return false, nil
		}
		ids = append(ids, string(id))
	}
	call := r.call("diff-tree", "--stdin", "-r", "-z", "--numstat", "--no-renames", "--no-commit-id")
	call.Stdin = strings.NewReader(strings.Join(ids, "\n") + "\n")
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return false, err
	}
	if _, comparable := linesOf(out.Stdout); !comparable {
		return false, nil
	}
	byCommit, err := e.patchesOf(ctx, r, ids, nil)
	if err != nil {
		return false, err
	}
	for id := range own {
		if byCommit[id] == "" || !candidates[byCommit[id]] {
			return false, nil
		}
	}
	return true, nil
}

// candidates are the changes, as patch ids, that branches made to paths since
// the base.
func (e *Engine) candidates(ctx context.Context, wt orchestrator.Worktree, r repo, paths []string) (map[string]bool, error) {
	args := []string{"rev-list", "--no-merges", "-n", strconv.Itoa(mostCandidates), "--branches", "--remotes", "--not", string(wt.Base), "--"}
	out, err := e.git.Run(ctx, shared(wt.CommonDir, append(args, paths...)...))
	if err != nil {
		return nil, err
	}
	byCommit, err := e.patchesOf(ctx, r, strings.Fields(string(out.Stdout)), paths)
	found := map[string]bool{}
	for _, id := range byCommit {
		found[id] = true
	}
	return found, err
}

// patchesOf returns the patch id of each commit, limited to paths if there are
// any.
func (e *Engine) patchesOf(ctx context.Context, r repo, commits, paths []string) (map[orchestrator.ObjectID]string, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	call := r.call("diff-tree", "--stdin", "-p", "--full-index", "--no-renames")
	if len(paths) > 0 {
		call.Args = append(append(call.Args, "--"), paths...)
	}
	call.Stdin = strings.NewReader(strings.Join(commits, "\n") + "\n")
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return nil, err
	}
	return e.patchIDs(ctx, r, out.Stdout)
}

// patchIDs reads patches and returns the id of each by its commit; see
// git-patch-id(1).
func (e *Engine) patchIDs(ctx context.Context, r repo, patches []byte) (map[orchestrator.ObjectID]string, error) {
	call := r.call("patch-id", "--stable")
	call.Stdin = strings.NewReader(string(patches))
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return nil, err
	}
	ids := map[orchestrator.ObjectID]string{}
	for line := range strings.Lines(string(out.Stdout)) {
		if patch, commit, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			ids[orchestrator.ObjectID(commit)] = patch
		}
	}
	return ids, nil
}
