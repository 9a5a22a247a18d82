package worktree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
)

// A sparse worktree has the files below some directories, and those that lie
// directly in a directory on the way to one: git's cone mode. The other files of
// the base are in its indexes, marked, and a snapshot keeps them as they are.

// inside reports whether a sparse worktree has the file.
func inside(sparse []string, file orchestrator.Path) bool {
	dir := path.Dir(string(file))
	return dir == "." || slices.ContainsFunc(sparse, func(has string) bool {
		return file.Under(orchestrator.Path(has)) || orchestrator.Path(has).Under(orchestrator.Path(dir))
	})
}

// sparseOf returns the directories that a checkout of the person's is limited
// to; none where it has all files, or is limited by patterns that are no
// directories.
func (e *Engine) sparseOf(ctx context.Context, c orchestrator.Checkout) (dirs []string, byPatterns bool, err error) {
	rules, err := readSmall(filepath.Join(string(c.GitDir), "info", "sparse-checkout"), ruleLimit)
	if err != nil {
		return nil, false, nil // as for most
	}
	out, err := e.git.Run(ctx, gitcmd.Call{
		Args: []string{"config", "--type=bool", "--get-regexp", `^core\.sparsecheckout(cone)?$`}, GitDir: string(c.GitDir), Personal: true,
	})
	if err != nil && !exited(err, 1) {
		return nil, false, fmt.Errorf("read the configuration of %s: %w", c.Dir, err)
	}
	if !bytes.Contains(out.Stdout, []byte("core.sparsecheckout true\n")) {
		return nil, false, nil
	}
	if !bytes.Contains(out.Stdout, []byte("core.sparsecheckoutcone true\n")) {
		return nil, true, nil
	}
	return cone(rules), false, nil
}

// cone reads the directories from patterns as "git sparse-checkout set --cone"
// writes them: "/a/b/" for each on the way, and "!/a/*/" for those of which only
// the files directly in them are meant.
func cone(rules []byte) []string {
	var dirs, shallow []string
	for lines := bufio.NewScanner(bytes.NewReader(rules)); lines.Scan(); {
		line := lines.Text()
		if dir, ok := strings.CutPrefix(line, "!/"); ok {
			shallow = append(shallow, strings.TrimSuffix(dir, "/*/"))
		} else if dir, ok := strings.CutPrefix(line, "/"); ok && strings.HasSuffix(dir, "/") {
			dirs = append(dirs, strings.TrimSuffix(dir, "/"))
		}
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return slices.Contains(shallow, dir) })
}

// fillSparse writes the files of the base that a sparse worktree has.
func (e *Engine) fillSparse(ctx context.Context, wt orchestrator.Worktree, r repo) error {
	if err := e.rebuild(ctx, wt, r); err != nil {
		return err
	}
	if _, err := e.git.Run(ctx, r.call("checkout-index", "--all", "--index", "--force")); err != nil {
		return fmt.Errorf("check out %s: %w", wt.Base.Short(), noteFull(err, string(wt.Dir)))
	}
	return nil
}

// limit marks the files of an index that a sparse worktree has not.
func (e *Engine) limit(ctx context.Context, wt orchestrator.Worktree, r repo) error {
	if len(wt.Sparse) == 0 {
		return nil
	}
	out, err := e.git.Run(ctx, r.call("ls-files", "-z"))
	if err != nil {
		return fmt.Errorf("list the files of %s: %w", wt.Base.Short(), err)
	}
	var left []orchestrator.Path
	for name := range strings.SplitSeq(string(out.Stdout), "\x00") {
		if file := orchestrator.Path(name); file != "" && !inside(wt.Sparse, file) {
			left = append(left, file)
		}
	}
	return e.leaveOutside(ctx, r, left)
}

// sparse corrects a scan of a sparse worktree: files that are marked and yet
// there have been written by the agent, those in whose place there is a directory
// have been replaced, and those that are marked and not there have not been
// deleted.
func (e *Engine) sparse(ctx context.Context, wt orchestrator.Worktree, r repo, s *scan) error {
	if len(wt.Sparse) == 0 {
		return nil
	}
	out, err := e.git.Run(ctx, r.call("ls-files", "-t", "-z"))
	if err != nil {
		return fmt.Errorf("list the files outside of the sparse checkout: %w", err)
	}
	absent := map[orchestrator.Path]bool{}
	gone := map[string]bool{} // directories that are not there
	for _, file := range outside(out.Stdout) {
		dir := path.Dir(string(file))
		if gone[dir] {
			absent[file] = true
			continue
		}
		info, err := lstatBelow(string(wt.Dir), string(file))
		switch {
		case err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
			s.set = append(s.set, indexed{path: file}) // something else stands there now
			continue
		case !errors.Is(err, fs.ErrNotExist):
			s.back = append(s.back, file)
			continue
		}
		absent[file] = true
		if _, err := lstatBelow(string(wt.Dir), dir); errors.Is(err, fs.ErrNotExist) {
			gone[dir] = true
		}
	}
	s.add = slices.DeleteFunc(s.add, func(p orchestrator.Path) bool { return absent[p] })
	s.add = append(s.add, s.back...)
	return nil
}

// outside reads from "ls-files -t -z" which files a sparse checkout leaves out
// of the work tree (git-update-index(1), skip-worktree).
func outside(listing []byte) []orchestrator.Path {
	var paths []orchestrator.Path
	for line := range strings.SplitSeq(string(listing), "\x00") {
		if path, ok := strings.CutPrefix(line, "S "); ok {
			paths = append(paths, orchestrator.Path(path))
		}
	}
	return paths
}

// leaveOutside marks files of an index as left out of the work tree: that they
// are not there is then no deletion.
func (e *Engine) leaveOutside(ctx context.Context, r repo, paths []orchestrator.Path) error {
	return e.markFiles(ctx, r, "--skip-worktree", paths)
}

func (e *Engine) markFiles(ctx context.Context, r repo, how string, paths []orchestrator.Path) error {
	if len(paths) == 0 {
		return nil
	}
	var in strings.Builder
	for _, path := range paths {
		in.WriteString(string(path) + "\x00")
	}
	call := r.call("update-index", how, "-z", "--stdin")
	call.Stdin = strings.NewReader(in.String())
	if _, err := e.git.Run(ctx, call); err != nil {
		return fmt.Errorf("mark files outside of the sparse checkout: %w", err)
	}
	return nil
}
