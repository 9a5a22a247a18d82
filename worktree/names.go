package worktree

import (
	"strings"

	"boo/orchestrator"
)

// plainName reports whether a name is certainly none that git refuses to
// record or check out: a form of ".git" in some file system's eyes, or a
// symlink where git looks for settings (verify_path in git's read-cache.c).
// Names that come close to one are left to git to judge.
func plainName(name string, mode orchestrator.FileMode) bool {
	// Some file systems leave out characters beyond ASCII.
	lower := strings.Map(func(r rune) rune {
		switch {
		case r >= 0x80:
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, name)
	if mode == orchestrator.ModeSymlink && (strings.HasPrefix(lower, ".git") || strings.HasPrefix(lower, "gi")) {
		return false
	}
	rest, dot := strings.CutPrefix(lower, ".git")
	if dot {
		return rest != "" && (rest[0] >= 'a' && rest[0] <= 'z' || rest[0] == '-' || rest[0] == '_')
	}
	return !strings.HasPrefix(lower, "git~") && !strings.ContainsAny(lower, "\\:")
}

// plainPath is plainName for every part of a path.
func plainPath(path orchestrator.Path, mode orchestrator.FileMode) bool {
	for part := range strings.SplitSeq(string(path), "/") {
		if !plainName(part, mode) {
			return false
		}
	}
	return true
}
