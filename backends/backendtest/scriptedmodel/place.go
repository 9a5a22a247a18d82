package scriptedmodel

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"sync"
)

// directory matches how agents tell a model where it works: a label, and
// nothing but punctuation up to the path.
var directory = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:working directory|workspace directories|in the directory|current directory)(?: is)?[\s:*-]{1,12}(/[^\s<>"'` + "`" + `]+)`)
})

// absolute returns the step with the whole path of its file, if the tool's
// schema asks for that and the request tells where the agent works.
func (s Step) absolute(t tool, req request) Step {
	if s.Path == "" || path.IsAbs(s.Path) {
		return s
	}
	for _, name := range pathArgs {
		if bytes.Contains(t.Properties[name], []byte("absolute")) {
			if dir := req.directory(); dir != "" {
				s.Path = path.Join(dir, s.Path)
			}
			return s
		}
	}
	return s
}

// directory returns where the agent works, as far as the request tells; the
// system's word counts before others.
func (r request) directory() string {
	for _, m := range r.Messages {
		if m.Role != "system" && m.Role != "user" {
			continue
		}
		if found := directory().FindStringSubmatch(m.Text); found != nil {
			return strings.TrimRight(found[1], ".,;:)")
		}
	}
	return ""
}

// command returns the shell command that does what the step does, for agents
// that have no other tool for files.
func (s Step) command() (string, bool) {
	switch s.Verb {
	case Write:
		return "printf %s " + shellQuote(s.Text) + " > " + shellQuote(s.Path), true
	case Edit:
		// An x keeps the line ends at the end of the file.
		return "f=" + shellQuote(s.Path) + " a=" + shellQuote(s.Old) + " b=" + shellQuote(s.Text) +
			`; c=$(cat "$f"; printf x); c=${c%x}` +
			`; case $c in *"$a"*) printf %s "${c%%"$a"*}$b${c#*"$a"}" > "$f";; *) echo not found >&2; exit 1;; esac`, true
	}
	return "", false
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
