package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"boo/orchestrator"
)

// plainCheckout finds the work tree that dir is in without git, where that is
// certain to be what git would find: a .git directory of the person's own, on the
// same file system, whose configuration moves nothing. For all else ok is false,
// and git is asked.
func plainCheckout(dir string) (c orchestrator.Checkout, ok bool) {
	if !filepath.IsAbs(dir) {
		return c, false
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return c, false
	}
	top, ok := plainTop(real)
	if !ok {
		return c, false
	}
	git := filepath.Join(top, ".git")
	prefix, err := filepath.Rel(top, real)
	if err != nil || !plainGitDir(git) {
		return c, false
	}
	if prefix == "." {
		prefix = ""
	}
	c = orchestrator.Checkout{
		Dir: orchestrator.CheckoutDir(top), GitDir: orchestrator.GitDir(git), CommonDir: orchestrator.GitDir(git),
		Prefix: orchestrator.Path(filepath.ToSlash(prefix)),
	}
	c.Head, err = plainHead(c.GitDir)
	return c, err == nil
}

// plainTop walks up to the first directory that has a .git, as long as git would
// walk too.
func plainTop(dir string) (top string, ok bool) {
	start, ok := statOf(dir)
	if !ok {
		return "", false
	}
	for at := dir; ; at = filepath.Dir(at) {
		here, ok := statOf(at)
		if !ok || here.Dev != start.Dev {
			return "", false
		}
		if git, ok := statOf(filepath.Join(at, ".git")); ok {
			mine := uint32(os.Geteuid())
			return at, git.Mode&syscall.S_IFMT == syscall.S_IFDIR && git.Uid == mine && here.Uid == mine
		}
		if isGitDir(at) || filepath.Dir(at) == at {
			return "", false
		}
	}
}

func statOf(path string) (st syscall.Stat_t, ok bool) {
	err := syscall.Lstat(path, &st)
	return st, err == nil
}

// isGitDir reports whether git would take dir for a git directory.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, ok := statOf(filepath.Join(dir, name)); !ok {
			return false
		}
	}
	return true
}

// plainGitDir reports whether a git directory is that of the directory it is in,
// with refs in files.
func plainGitDir(git string) bool {
	if _, shared := statOf(filepath.Join(git, "commondir")); shared || !isGitDir(git) {
		return false
	}
	content, err := readSmall(filepath.Join(git, "config"), 256<<10)
	if err != nil {
		return false
	}
	for line := range strings.Lines(strings.ToLower(string(content))) {
		line = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "").Replace(line)
		name, value, _ := strings.Cut(line, "=")
		switch {
		case strings.HasSuffix(line, `\`), // goes on in the next
			strings.HasPrefix(line, "[") && !strings.HasSuffix(line, "]"),
			strings.HasPrefix(line, "[include"), strings.HasPrefix(line, "[extensions"),
			strings.HasPrefix(name, "worktree"),
			strings.HasPrefix(name, "bare") && line != "bare=false",
			strings.HasPrefix(name, "repositoryformatversion") && value != "0":
			return false
		}
	}
	return true
}

// plainHead reads the commit that HEAD is at, "" if there is none yet.
func plainHead(git orchestrator.GitDir) (orchestrator.ObjectID, error) {
	content, err := readSmall(filepath.Join(string(git), "HEAD"), 4<<10)
	if err != nil {
		return "", err
	}
	head := strings.TrimSpace(string(content))
	branch, ok := strings.CutPrefix(head, "ref: ")
	if !ok {
		return orchestrator.ParseObjectID(head)
	}
	if !strings.HasPrefix(branch, "refs/heads/") || strings.Contains(branch, "..") {
		return "", errRefs
	}
	return refValue(git, branch)
}
