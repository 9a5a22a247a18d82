package orchestrator

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckoutDir is the absolute path of a work tree of the person's: the main
// one or one they linked. boo writes there only in apply and undo.
type CheckoutDir string

// WorktreeDir is the absolute path of a chat's own worktree.
type WorktreeDir string

// GitDir is the absolute path of a git directory. A repository is identified
// by its common one.
type GitDir string

// ParseDir makes an absolute, clean path of one of the directory types.
func ParseDir[T CheckoutDir | WorktreeDir | GitDir](s string) (T, error) {
	if !filepath.IsAbs(s) || strings.ContainsRune(s, 0) {
		return "", Errorf(CodeInvalid, "%q is not an absolute path", s)
	}
	return T(filepath.Clean(s)), nil
}

// Path is a file's path inside a tree as git records it: slashes, relative,
// any bytes but NUL. It need not be UTF-8.
type Path string

// ParsePath accepts a path that stays inside its tree and has no empty, "."
// or ".." component. It does not judge whether the name is safe to write.
func ParsePath(s string) (Path, error) {
	if s == "" || strings.ContainsRune(s, 0) {
		return "", Errorf(CodeInvalid, "%q is not a path in a repository", s)
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part == "." || part == ".." {
			return "", Errorf(CodeInvalid, "%q is not a path in a repository", s)
		}
	}
	return Path(s), nil
}

// Under reports whether p is dir or lies below it; every path is under "".
func (p Path) Under(dir Path) bool {
	return dir == "" || p == dir || strings.HasPrefix(string(p), string(dir)+"/")
}

// String returns p as people and JSON see it: as it is when it is plain UTF-8,
// else quoted the way git quotes names, so that different names never look
// the same and no byte is lost.
func (p Path) String() string {
	if utf8.ValidString(string(p)) && !strings.HasPrefix(string(p), `"`) && !strings.ContainsFunc(string(p), unicode.IsControl) {
		return string(p)
	}
	var b strings.Builder
	b.WriteByte('"')
	for rest := string(p); rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == utf8.RuneError && size == 1 || unicode.IsControl(r):
			for _, c := range []byte(rest[:size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
		rest = rest[size:]
	}
	b.WriteByte('"')
	return b.String()
}

// MarshalText writes the form of [Path.String].
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the form of [Path.String].
func (p *Path) UnmarshalText(text []byte) error {
	s := string(text)
	if len(s) < 2 || s[0] != '"' {
		*p = Path(s)
		return nil
	}
	var b strings.Builder
	for body := s[1 : len(s)-1]; body != ""; {
		switch {
		case body[0] != '\\':
			b.WriteByte(body[0])
			body = body[1:]
		case len(body) >= 4 && body[1] >= '0' && body[1] <= '3':
			c, err := strconv.ParseUint(body[1:4], 8, 8)
			if err != nil {
				return fmt.Errorf("read quoted path %s: %w", s, err)
			}
			b.WriteByte(byte(c))
			body = body[4:]
		case len(body) >= 2:
			b.WriteByte(body[1])
			body = body[2:]
		default:
			return fmt.Errorf("read quoted path %s: ends in a backslash", s)
		}
	}
	*p = Path(b.String())
	return nil
}
