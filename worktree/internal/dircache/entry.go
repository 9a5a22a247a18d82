package dircache

import (
	"cmp"
	"strings"

	"boo/orchestrator"
)

// Flags are the marks that a person or git puts on an entry.
type Flags uint8

// The marks of git-update-index(1) and "git add -N".
const (
	AssumeValid Flags = 1 << iota
	SkipWorktree
	IntentToAdd

	extendedFlags = SkipWorktree | IntentToAdd // need version 3
)

// Entry is one path of the index. Stage is 0, or 1 to 3 for the sides of a
// merge left open.
type Entry struct {
	Path  orchestrator.Path
	ID    orchestrator.ObjectID
	Mode  orchestrator.FileMode
	Stat  Stat
	Stage uint8
	Flags Flags

	// seen is set for entries put in since the index was read: their stat data
	// are newer than its racy border.
	seen bool
}

// compareEntries is the order of the index: bytes of the path, then stage.
func compareEntries(a, b *Entry) int {
	if c := strings.Compare(string(a.Path), string(b.Path)); c != 0 {
		return c
	}
	return cmp.Compare(a.Stage, b.Stage)
}

func validMode(mode orchestrator.FileMode) bool {
	switch mode {
	case orchestrator.ModeRegular, orchestrator.ModeExec, orchestrator.ModeSymlink, orchestrator.ModeGitlink:
		return true
	}
	return false
}

// maxPath is the longest path that Linux opens (PATH_MAX less its NUL).
const maxPath = 4095

// validPath reports whether p stays below the top of the tree and can name a
// file: no empty, "." or ".." part, no NUL, no more than maxPath bytes.
func validPath(p string) bool {
	if len(p) == 0 || len(p) > maxPath || p[0] == '/' || p[len(p)-1] == '/' {
		return false
	}
	if strings.IndexByte(p, 0) >= 0 || strings.Contains(p, "//") {
		return false
	}
	if p[0] != '.' && !strings.Contains(p, "/.") {
		return true
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "." || part == ".." {
			return false
		}
	}
	return true
}
