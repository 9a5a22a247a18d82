package pending

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"boo/orchestrator"
)

// badName says in words why a path must not be written, or "". It refuses every
// name that some file system takes for git's own directory, because whoever
// writes there decides what git runs.
func badName(p orchestrator.Path) string {
	if _, err := orchestrator.ParsePath(string(p)); err != nil {
		return "its name does not stay inside the repository"
	}
	for part := range strings.SplitSeq(string(p), "/") {
		if gitDisguise(part) {
			return "its name is, or can pass for, git's own directory"
		}
	}
	return ""
}

// gitDisguise reports whether a file system could take the component for
// ".git". NTFS drops dots and spaces at the end, opens streams behind a colon,
// takes a backslash for a separator and knows the short name git~1; HFS+ drops
// code points that have no width; both, and APFS, ignore case.
// (git's own rules: is_ntfs_dotgit in path.c, is_hfs_dotgit in utf8.c.)
func gitDisguise(part string) bool {
	for piece := range strings.FieldsFuncSeq(part, func(r rune) bool { return r == '\\' }) {
		name, _, _ := strings.Cut(stripIgnorable(piece), ":")
		name = strings.ToLower(strings.TrimRight(name, " ."))
		if name == ".git" || shortGitName(name) {
			return true
		}
	}
	return false
}

// shortGitName matches git~1 to git~9: NTFS gives the next number when an
// earlier one is taken.
func shortGitName(name string) bool {
	digit, ok := strings.CutPrefix(name, "git~")
	return ok && len(digit) == 1 && digit[0] >= '1' && digit[0] <= '9'
}

// stripIgnorable removes the code points that HFS+ ignores in names.
func stripIgnorable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, s)
}

// foldKey is equal for names that a file system which ignores case cannot keep
// apart. Bytes that are not UTF-8 stand for themselves.
func foldKey(name string) string {
	var b strings.Builder
	for rest := stripKeepingBytes(name); rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && size == 1 {
			b.WriteByte(rest[0])
		} else {
			b.WriteRune(smallestFold(r))
		}
		rest = rest[size:]
	}
	return b.String()
}

func stripKeepingBytes(s string) string {
	if !utf8.ValidString(s) {
		return s
	}
	return stripIgnorable(s)
}

func smallestFold(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
