package unit

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"boo/orchestrator"
)

// Settings is what the files say of the place that boo is run in.
type Settings struct {
	Program string // boo's own, absolute
	// User is whom a service of the whole machine runs as; "" for services of the
	// person's own manager.
	User string
	// Environ is what is set for boo and its agents, "NAME=value". It is readable
	// for everybody on the machine: nothing secret belongs there.
	Environ []string
	// EnvFile names a file with more of it, which only the person can read and
	// which need not be there.
	EnvFile string
	// Log is where launchd leads the output to; systemd has a journal.
	Log string
}

// File is one of the files.
type File struct {
	Name string
	Text string
}

// Mark begins every file that boo writes for a service manager. One without it
// is not boo's to change.
const Mark = "Written by boo service install"

var (
	userName     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z_][a-z0-9_.-]*\$?$`) })
	variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
)

// check reports nil if a manager can be told all of it.
func (s Settings) check() error {
	for what, path := range map[string]string{"boo's program": s.Program, "the environment file": s.EnvFile, "the log": s.Log} {
		if !filepath.IsAbs(path) || !plain(path) {
			return unsayable("%s is at %q", what, path)
		}
	}
	// systemd itself does not take these in the path of a program.
	if strings.ContainsAny(s.Program, `"'\`) {
		return unsayable("boo's program is at %q", s.Program).
			WithHint("copy boo to a directory without quotes in its name, such as /usr/local/bin, and run that")
	}
	if s.User != "" && !userName().MatchString(s.User) {
		return unsayable("the user is called %q", s.User)
	}
	for _, v := range s.Environ {
		name, value, _ := strings.Cut(v, "=")
		if !variableName().MatchString(name) || !plain(value) {
			return unsayable("the variable %s is %q", name, value)
		}
	}
	return nil
}

// plain reports whether a text has a form in the files: valid UTF-8 without
// control characters.
func plain(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 })
}

func unsayable(format string, args ...any) *orchestrator.Error {
	return orchestrator.Errorf(orchestrator.CodeInvalid, "%s, and a service manager cannot be told so; nothing was written", fmt.Sprintf(format, args...))
}
