package orchestrator

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Why a place is out of bounds, in words that follow "which is".
const (
	boundsOutside = "outside of the chat's worktree"
	boundsGit     = "git's own"
	boundsChat    = "in the worktree of another chat"
)

// tree is a chat's worktree as places are judged by it.
type tree struct {
	root, real         string // real is where root leads to
	others, realOthers string // where the worktrees of all chats are
	home               string
}

func newTree(root WorktreeDir, others, home string) tree {
	t := tree{root: filepath.Clean(string(root)), others: filepath.Clean(others), home: home}
	t.real, _ = physical(t.root)         // a part that cannot be looked at stays as it is
	t.realOthers, _ = physical(t.others) // likewise
	return t
}

// place is a path that a request names.
type place struct {
	tree    *tree
	said    string // by the agent
	word    string // the word of the command that says it; "" for one that stands by itself
	lexical string // as the text reads
	real    string // where it leads to, by the links that are there now
	bounds  string // "" for one in the worktree, else why it is not
}

// place judges a path that is said in the directory base. It is in the worktree
// only if it is there both as the text reads and as the links lead.
func (t *tree) place(base, said string) place {
	p := place{tree: t, said: said}
	path := said
	switch {
	case path == "~" || strings.HasPrefix(path, "~/"):
		path = t.home + path[1:]
	case strings.HasPrefix(path, "~"): // somebody's home
		p.lexical, p.real, p.bounds = path, path, boundsOutside
		return p
	case !filepath.IsAbs(path):
		path = base + "/" + path
	}
	p.lexical = filepath.Clean(path)
	real, known := physical(path)
	p.real = real
	switch {
	case !known, !inside(p.real, t.real), !inside(p.lexical, t.root) && !inside(p.lexical, t.real):
		p.bounds = boundsOutside
		if t.foreign(p.real) || t.foreign(p.lexical) {
			p.bounds = boundsChat
		}
	case holdsGit(p.lexical, t.root), holdsGit(p.lexical, t.real), holdsGit(p.real, t.real):
		p.bounds = boundsGit
	}
	return p
}

// foreign reports whether a path is among the worktrees, and not in this one.
func (t *tree) foreign(path string) bool {
	return (inside(path, t.others) || inside(path, t.realOthers)) && !inside(path, t.root) && !inside(path, t.real)
}

func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// holdsGit reports whether a path below dir goes through something named .git,
// which a file system may find in any case.
func holdsGit(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	for part := range strings.SplitSeq(rel, "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

const maxLinks = 64

// physical follows the links of an absolute path, as the system does: ".."
// after a link is the parent of where it leads. What is not there yet is taken
// as it reads. known is false if a part cannot be looked at.
func physical(path string) (real string, known bool) {
	todo := strings.Split(path, "/")
	real = "/"
	for links := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			real = filepath.Dir(real)
			continue
		}
		next := filepath.Join(real, part)
		target, err := os.Readlink(next)
		switch {
		case err == nil:
			if links++; links > maxLinks {
				return next, false
			}
			if filepath.IsAbs(target) {
				real = "/"
			}
			todo = append(strings.Split(target, "/"), todo...)
			continue
		case errors.Is(err, syscall.EINVAL), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // no link
		default:
			return next, false
		}
		real = next
	}
	return real, true
}
