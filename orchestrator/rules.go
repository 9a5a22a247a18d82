package orchestrator

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Decision is what a rule says of a request.
type Decision string

// The decisions.
const (
	DecideAllow  Decision = "allow"
	DecideReject Decision = "reject"
	DecideAsk    Decision = "ask"
)

// requestKinds are the kinds of requests, as boo sees them.
var requestKinds = []string{"read", "search", "edit", "delete", "move", "execute", "fetch", "think", "other"}

// PermissionRule decides the requests that all of its parts match. One that
// allows or asks reaches outside of the chat's worktree only as far as it names
// what it means: by an absolute path, or by a command that says the very word.
type PermissionRule struct {
	decision Decision
	kind     string // "" matches all
	command  *pattern
	path     *pattern
}

// NewPermissionRule makes a rule. kind is one of a request's kinds, or "" for
// all. command and path are patterns, or "" for no condition: in a command *
// stands for anything; in a path * and ? stop at a slash, and ** does not. A
// path that begins with neither "/" nor "~/" counts from the worktree.
func NewPermissionRule(kind, command, path string, decision Decision) (PermissionRule, error) {
	r := PermissionRule{decision: decision, kind: kind}
	if kind != "" && !slices.Contains(requestKinds, kind) {
		return r, Errorf(CodeInvalid, "there is no kind %q of requests; there is: %s", kind, strings.Join(requestKinds, ", "))
	}
	if !slices.Contains([]Decision{DecideAllow, DecideReject, DecideAsk}, decision) {
		return r, Errorf(CodeInvalid, "there is no decision %q; there is: allow, reject, ask", decision)
	}
	if command != "" {
		r.command = newPattern(command, ".*")
	}
	if path != "" {
		r.path = newPattern(path, "[^/]*")
	}
	return r, nil
}

// matches reports whether the rule decides a request.
func (r PermissionRule) matches(c claim) bool {
	if r.kind != "" && r.kind != c.kind {
		return false
	}
	if r.decision == DecideReject {
		return r.touches(c)
	}
	return r.covers(c)
}

// touches reports whether any part of the request is what the rule means: to
// refuse, that is enough.
func (r PermissionRule) touches(c claim) bool {
	if r.command != nil && (c.command == "" || !r.command.match(c.command) && !slices.ContainsFunc(c.simple, r.command.match)) {
		return false
	}
	return r.path == nil || slices.ContainsFunc(c.places, func(p place) bool {
		return r.matchPath(p, p.lexical) || r.matchPath(p, p.real)
	})
}

// covers reports whether all of the request is what the rule means, and
// whatever of it is out of bounds is named.
func (r PermissionRule) covers(c claim) bool {
	if r.command != nil && !r.coversCommand(c) {
		return false
	}
	if r.path != nil {
		// What a command does besides naming a path, no path can vouch for.
		if len(c.places) == 0 || c.command != "" && r.command == nil && r.kind != "execute" {
			return false
		}
	}
	for _, p := range c.places {
		whole := r.path != nil && r.matchPath(p, p.lexical) && r.matchPath(p, p.real)
		switch {
		case p.bounds != "" && !(whole && r.namesPath(p)) && !r.saysWord(p):
			return false
		case p.bounds == "" && r.path != nil && !whole:
			return false
		}
	}
	return true
}

// coversCommand reports whether every single command of the line is meant. A
// line that cannot be read has to be the pattern itself.
func (r PermissionRule) coversCommand(c claim) bool {
	if c.command == r.command.text {
		return true
	}
	return !c.opaque && len(c.simple) > 0 && !slices.ContainsFunc(c.simple, func(s string) bool { return !r.command.match(s) })
}

// matchPath compares one form of a place with the rule's path.
func (r PermissionRule) matchPath(p place, form string) bool {
	if !r.path.absolute() {
		rel, err := filepath.Rel(p.tree.root, form)
		if err != nil || !filepath.IsLocal(rel) {
			if rel, err = filepath.Rel(p.tree.real, form); err != nil || !filepath.IsLocal(rel) {
				return false
			}
		}
		return r.path.match(rel)
	}
	return r.path.in(p.tree.home).match(form)
}

// namesPath reports whether the rule's path means a place that is out of
// bounds, and does not merely not exclude it.
func (r PermissionRule) namesPath(p place) bool {
	switch p.bounds {
	case boundsGit:
		return slices.Contains(strings.Split(r.path.text, "/"), ".git")
	case boundsChat:
		fixed := r.path.in(p.tree.home).fixed()
		return inside(fixed, p.tree.others) || inside(fixed, p.tree.realOthers)
	}
	return r.path.absolute() && r.path.in(p.tree.home).fixed() != "/"
}

// saysWord reports whether the rule's command says the word by which a command
// names a place.
func (r PermissionRule) saysWord(p place) bool {
	return r.command != nil && p.word != "" && slices.Contains(strings.Fields(r.command.text), p.word)
}

// pattern is a text with wildcards.
type pattern struct {
	text string
	star string // what * stands for
	re   *regexp.Regexp
}

func newPattern(text, star string) *pattern {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for rest := text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "**/") && star != ".*": // also no directory at all
			b.WriteString("(?:.*/)?")
			rest = rest[3:]
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			rest = rest[2:]
		case rest[0] == '*':
			b.WriteString(star)
			rest = rest[1:]
		case rest[0] == '?' && star != ".*":
			b.WriteString("[^/]")
			rest = rest[1:]
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			rest = rest[1:]
		}
	}
	b.WriteString(`\z`)
	return &pattern{text: text, star: star, re: regexp.MustCompile(b.String())}
}

func (p *pattern) match(s string) bool { return p.re.MatchString(s) }

// absolute reports whether a path pattern counts from the root.
func (p *pattern) absolute() bool {
	return strings.HasPrefix(p.text, "/") || strings.HasPrefix(p.text, "~/")
}

// in returns the pattern with "~/" at its beginning as the home directory.
func (p *pattern) in(home string) *pattern {
	if rest, ok := strings.CutPrefix(p.text, "~/"); ok && home != "" {
		return newPattern(home+"/"+rest, p.star)
	}
	return p
}

// fixed is the directory that a path pattern cannot leave.
func (p *pattern) fixed() string {
	head := p.text
	if i := strings.IndexAny(head, "*?"); i >= 0 {
		head = head[:strings.LastIndexByte(head[:i], '/')+1]
	}
	return filepath.Clean("/" + head)
}
