package worktree

import (
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

// movedTo returns where the worktree was moved to, "" if it is not found: where
// git knows it to be, or else near where it was, by its .git file.
func movedTo(wt orchestrator.Worktree) string {
	at, err := readSmall(adminOf(wt).file("gitdir"), 64<<10)
	if err != nil {
		return ""
	}
	link := strings.TrimRight(string(at), "\n")
	dir := filepath.Dir(link)
	switch {
	case !filepath.IsAbs(link) || filepath.Base(link) != ".git":
		return ""
	case dir == string(wt.Dir):
		return movedNear(wt)
	case leadsTo(dir, wt):
		return dir
	}
	return ""
}

// leadsTo reports whether a directory is one whose .git file names the worktree's
// registration.
func leadsTo(dir string, wt orchestrator.Worktree) bool {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return false
	}
	content, err := readSmall(filepath.Join(dir, ".git"), 64<<10)
	return err == nil && string(content) == adminOf(wt).dotGit()
}

// mostNear bounds how many directories are looked at for one that was moved.
const mostNear = 10_000

// movedNear looks for a worktree that was moved without git's knowledge: beside
// its place, above that, and in and beside the person's checkout. What another
// worktree's place is does not count, whatever its agent has written there; nor
// is any taken where several could be it.
func movedNear(wt orchestrator.Worktree) (found string) {
	others := placesOf(wt)
	home := filepath.Dir(string(wt.CommonDir))
	beside := filepath.Dir(string(wt.Dir))
	seen := map[string]bool{}
	for _, near := range []string{beside, filepath.Dir(beside), home, filepath.Dir(home)} {
		entries, err := os.ReadDir(near)
		if err != nil || len(entries) > mostNear || seen[near] {
			continue
		}
		seen[near] = true
		for _, entry := range entries {
			dir := filepath.Join(near, entry.Name())
			if !entry.IsDir() || others[dir] || !leadsTo(dir, wt) {
				continue
			}
			if found != "" {
				return ""
			}
			found = dir
		}
	}
	return found
}

// placesOf lists where the repository's worktrees are registered.
func placesOf(wt orchestrator.Worktree) map[string]bool {
	places := map[string]bool{}
	registered := filepath.Dir(string(adminOf(wt)))
	entries, _ := os.ReadDir(registered)
	for _, entry := range entries {
		if at, err := readSmall(filepath.Join(registered, entry.Name(), "gitdir"), 64<<10); err == nil {
			places[filepath.Dir(strings.TrimRight(string(at), "\n"))] = true
		}
	}
	return places
}
