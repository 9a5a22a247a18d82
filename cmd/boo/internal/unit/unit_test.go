package unit

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/orchestrator"
)

// Names that mean something to one of the managers, or to a shell.
var hostileNames = []string{
	"plain", "two words", " edges ", "100%h", "%i%%", "$HOME", "${PATH}", "semi;colon", "hash#tag", "[x]*?", "-dash", "@at", "é…", "&amp;<b>", "a=b",
}

func settings(dir string) Settings {
	return Settings{
		Program: filepath.Join(dir, "boo"), EnvFile: filepath.Join(dir, "environment"), Log: filepath.Join(dir, "log"),
		Environ: []string{"PATH=/usr/bin:/bin", "BOO_HOME=" + dir, `QUOTED=a "b" 'c' \d $e %f`},
	}
}

// verify has systemd's own tool read units, for which there is something to run.
func verify(t *testing.T, files []File, user bool) {
	t.Helper()
	dir := t.TempDir()
	args := []string{"verify", "--man=no", "--recursive-errors=no"}
	if user {
		args = append(args, "--user")
	}
	for _, f := range files {
		path := filepath.Join(dir, strings.Replace(f.Name, "@.", "@x.", 1))
		if err := os.WriteFile(path, []byte(f.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	cmd := exec.CommandContext(t.Context(), "systemd-analyze", args...)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}

func program(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "boo"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestSystemdTakesTheUnits(t *testing.T) {
	hostile := filepath.Join(append([]string{t.TempDir()}, hostileNames...)...)
	program(t, hostile)
	files, err := Systemd(settings(hostile), true)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, files, true)
	dir := t.TempDir()
	program(t, dir)
	s := settings(dir)
	s.User = "daemon"
	files, err = Systemd(s, true)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, files, false)
}

// The tool says nothing where a unit is right, and not where it is wrong: so the
// test above can fail.
func TestSystemdRefusesAUnitThatIsWrong(t *testing.T) {
	dir := t.TempDir()
	program(t, dir)
	files, err := Systemd(settings(dir), false)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), files[0].Name)
	if err := os.WriteFile(path, []byte(strings.Replace(files[0].Text, "KillMode=mixed", "KillMode=kindly", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", "--recursive-errors=no", path)
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("systemd-analyze took it: %s", out)
	}
}

func TestAUnitSaysWhatItWasGivenAndNoMore(t *testing.T) {
	for _, name := range hostileNames {
		dir := "/opt/" + name
		files, err := Systemd(settings(dir), false)
		if err != nil {
			t.Fatal(err)
		}
		want := keys(t, settings("/opt/x"))
		if got := keys(t, settings(dir)); !slices.Equal(got, want) {
			t.Errorf("%q changes the directives: %q, want %q", name, got, want)
		}
		for line := range strings.Lines(files[0].Text) {
			if command, ok := strings.CutPrefix(line, "ExecStart="); ok && unquote(t, command) != dir+"/boo" {
				t.Errorf("%q: it would run %q", name, unquote(t, command))
			}
		}
	}
}

func keys(t *testing.T, s Settings) (names []string) {
	t.Helper()
	files, err := Systemd(s, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		for line := range strings.Lines(f.Text) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), "=")
			names = append(names, f.Name+" "+name)
		}
	}
	return names
}

// unquote reads the first word of a command as systemd does.
func unquote(t *testing.T, command string) string {
	t.Helper()
	rest, ok := strings.CutPrefix(command, `"`)
	word, _, end := strings.Cut(rest, `" daemon`)
	if !ok || !end {
		t.Fatalf("the command is %q", command)
	}
	return strings.ReplaceAll(word, "%%", "%")
}

func TestWhatCannotBeSaidIsRefused(t *testing.T) {
	for what, spoil := range map[string]func(*Settings){
		"a line break in the program":   func(s *Settings) { s.Program = "/opt/a\nExecStartPre=/bin/false/boo" },
		"a quote in the program":        func(s *Settings) { s.Program = `/opt/a"b/boo` },
		"a program without a directory": func(s *Settings) { s.Program = "boo" },
		"a value that is not UTF-8":     func(s *Settings) { s.Environ = []string{"A=\xff"} },
		"a line break in a value":       func(s *Settings) { s.Environ = []string{"A=b\nUser=root"} },
		"a name that is none":           func(s *Settings) { s.Environ = []string{"A B=c"} },
		"a line break in a file's name": func(s *Settings) { s.EnvFile = "/a\n/b" },
		"a user with a line break":      func(s *Settings) { s.User = "pat\nUser=root" },
		"a user that is a specifier":    func(s *Settings) { s.User = "%u" },
	} {
		s := settings("/opt/boo")
		spoil(&s)
		for _, write := range []func() ([]File, error){
			func() ([]File, error) { return Systemd(s, true) }, func() ([]File, error) { return Launchd(s) },
		} {
			files, err := write()
			if e, ok := errors.AsType[*orchestrator.Error](err); !ok || e.Code != orchestrator.CodeInvalid || files != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

func TestPropertyListsAreWellFormed(t *testing.T) {
	for _, name := range hostileNames {
		files, err := Launchd(settings("/opt/" + name))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			var texts []string
			for dec := xml.NewDecoder(strings.NewReader(f.Text)); ; {
				token, err := dec.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s of %q: %v", f.Name, name, err)
				}
				if text, ok := token.(xml.CharData); ok {
					texts = append(texts, string(text))
				}
			}
			if !slices.Contains(texts, "/opt/"+name+"/boo") {
				t.Errorf("%s does not name the program %q: %q", f.Name, name, texts)
			}
		}
	}
}

func TestAChatsNameMakesTheNameOfItsUnit(t *testing.T) {
	for name, want := range map[string]string{
		"review":     "boo-agent@review.service",
		"two-words":  `boo-agent@two\x2dwords.service`,
		"a/b":        "boo-agent@a-b.service",
		".hidden":    `boo-agent@\x2ehidden.service`,
		"x@y %n":     `boo-agent@x\x40y\x20\x25n.service`,
		"../../etc":  `boo-agent@\x2e.-..-etc.service`,
		"é":          `boo-agent@\xc3\xa9.service`,
		"c0123456_9": "boo-agent@c0123456_9.service",
	} {
		if got := AgentUnit(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		out, err := exec.CommandContext(t.Context(), "systemd-escape", "--template="+Agent, "--", name).Output()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("systemd calls the unit of %q %q (%v), want %q", name, out, err, want)
		}
	}
}
