package sessionlog

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// span is where a secret stands in a text.
type span struct{ from, to int }

// secrets finds them, the last first. No two overlap.
func (r redactor) secrets(text string) (found []span) {
	for _, secret := range r.known {
		for from := 0; ; {
			i := strings.Index(text[from:], secret)
			if i < 0 {
				break
			}
			found = append(found, span{from + i, from + i + len(secret)})
			from += i + len(secret)
		}
	}
	if slices.ContainsFunc(tokenMarks, func(mark string) bool { return strings.Contains(text, mark) }) {
		for _, at := range tokens().FindAllStringIndex(text, -1) {
			found = append(found, span{at[0], at[1]})
		}
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var merged []span
	for _, s := range found {
		if n := len(merged); n > 0 && s.from < merged[n-1].to {
			merged[n-1].to = max(merged[n-1].to, s.to)
			continue
		}
		merged = append(merged, s)
	}
	slices.Reverse(merged)
	return merged
}

// How tokens of the known forms begin, at the beginning of a word.
var tokenHeads = []string{"sk-", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "AKIA", "ASIA", "xox", "AIza", "npm_", "hf_", "eyJ"}

const keyHead = "-----BEGIN "

// Compiled at the first use: most commands have no text to look through.
var (
	keyEnd   = lazily(`-----END [A-Z ]+-----`)
	wordHead = lazily(`\b[A-Za-z]`)
	bearer   = lazily(`\b[Bb](?:e(?:a(?:r(?:e(?:r(?: +\S*)?)?)?)?)?)?$`)
)

func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// openEnd finds where the end of a text begins that may be a part of a secret, if
// more text follows; the text's length if there is none.
func (r redactor) openEnd(text string) int {
	open := len(text)
	for _, secret := range append([]string{keyHead}, r.known...) {
		for n := min(len(secret)-1, len(text)); n > 0; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				open = min(open, len(text)-n)
				break
			}
		}
	}
	if at := strings.LastIndex(text, keyHead); at >= 0 && !keyEnd().MatchString(text[at:]) {
		open = min(open, at)
	}
	if at := bearer().FindStringIndex(text); at != nil {
		open = min(open, at[0])
	}
	word := strings.LastIndexFunc(text, unicode.IsSpace) + 1
	for _, at := range wordHead().FindAllStringIndex(text[word:], -1) {
		rest := text[word+at[0]:]
		if slices.ContainsFunc(tokenHeads, func(head string) bool { return strings.HasPrefix(rest, head) || strings.HasPrefix(head, rest) }) {
			return min(open, word+at[0])
		}
	}
	return open
}
