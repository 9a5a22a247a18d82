package tty

import "strings"

// Text makes prose harmless: line breaks and tabs stay.
func Text(s string) string {
	var f Filter
	return string(f.Flush(f.Append(nil, []byte(s))))
}

// Line makes a name, a title or a message harmless and puts it on one line: line
// breaks and tabs become blanks, and nothing that has no shape of its own stays
// unseen.
func Line(s string) string {
	if printable(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, strict(s))
}

// printable reports whether s is what most texts are: ASCII that can be shown
// as it is.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func strict(s string) string {
	f := Filter{Strict: true}
	return string(f.Flush(f.Append(nil, []byte(s))))
}
