package scriptedmodel

import (
	"strconv"
	"strings"
)

// unquote takes the quotes off a text that is quoted as in Go, and reports
// whether it was.
func unquote(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if text, err := strconv.Unquote(s); err == nil && s[0] != '\'' {
		return text, true
	}
	return s, false
}

// fileAnd splits "FILE word REST".
func fileAnd(s, word string) (file, rest string, ok bool) {
	file, rest, ok = cutWord(s, word)
	name, quoted := unquote(file)
	return name, rest, ok && name != "" && (quoted || !strings.Contains(name, " "))
}

// cutWord splits s around the first word of that name that is outside of
// quotes. The word may end s.
func cutWord(s, word string) (before, after string, ok bool) {
	for rest := s; rest != ""; {
		if quoted, err := strconv.QuotedPrefix(rest); err == nil && quoted[0] != '\'' {
			rest = rest[len(quoted):]
			continue
		}
		if tail, found := strings.CutPrefix(rest, " "+word); found && (tail == "" || tail[0] == ' ') {
			return strings.TrimSpace(s[:len(s)-len(rest)]), strings.TrimSpace(tail), true
		}
		rest = rest[1:]
	}
	return s, "", false
}
