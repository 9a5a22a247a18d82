package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"boo/orchestrator"
)

// Oddities tells, in words for people, in what ways a worktree is not as boo
// left it, though snapshots of it are right: HEAD is on a branch, a merge or
// the like is half done, .git is another, the index is locked, git has left files
// out of the tree. What was told
// before is not told again until it has changed.
func (e *Engine) Oddities(_ context.Context, wt orchestrator.Worktree) []string {
	found := oddities(wt)
	told := filepath.Join(e.chatDir(wt.Chat), "odd")
	before, _ := readSmall(told, 64<<10)
	_ = replaceFile(told, []byte(strings.Join(found, "\n"))) // else it is told again
	return slices.DeleteFunc(found, func(what string) bool {
		return slices.Contains(strings.Split(string(before), "\n"), what)
	})
}

func oddities(wt orchestrator.Worktree) []string {
	a := adminOf(wt)
	var found []string
	if content, err := readSmall(a.file("HEAD"), 4<<10); err == nil {
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(content)), "ref: "); ok {
			branch := strings.TrimPrefix(ref, "refs/heads/")
			found = append(found, fmt.Sprintf("the worktree is on branch %q: what is committed there moves that branch of your repository", branch))
		}
	} else {
		found = append(found, "git's HEAD of the worktree cannot be read; the next turn puts it back")
	}
	for _, op := range operations {
		if _, err := os.Lstat(a.file(op.file)); err == nil {
			found = append(found, fmt.Sprintf("a %s is half done in the worktree; files may hold conflict markers", op.what))
		}
	}
	if content, err := readSmall(filepath.Join(string(wt.Dir), ".git"), 64<<10); err != nil || string(content) != a.dotGit() {
		found = append(found, "the worktree's .git was replaced; the next turn puts it back")
	}
	if _, err := os.Lstat(a.file("index.lock")); err == nil {
		found = append(found, "the worktree's index is locked by a git that runs or has died")
	}
	if limitedByGit(a) {
		found = append(found, "the worktree was limited by git sparse-checkout: the files that this took away count as deleted until git sparse-checkout disable")
	}
	return found
}

// limitedByGit reports whether somebody has used git sparse-checkout in a worktree.
// Boo's own sparse worktrees do without.
func limitedByGit(a admin) bool {
	if _, err := os.Lstat(a.file("info/sparse-checkout")); err != nil {
		return false
	}
	config, err := readSmall(a.file("config.worktree"), 64<<10)
	return err == nil && sparseSet().Match(config)
}

// sparseSet finds the setting as git writes it.
var sparseSet = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^\s*sparsecheckout\s*=\s*true\s*$`)
})
