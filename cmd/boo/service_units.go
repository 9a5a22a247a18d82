package main

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"boo/cmd/boo/internal/unit"
	"boo/orchestrator"
)

// unitFile is a file for a service manager and where it goes.
type unitFile struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

const systemUnits = "/etc/systemd/system"

// serviceFiles renders what is asked for. Nothing is written.
func serviceFiles(e *env, o serviceOptions) ([]unitFile, error) {
	s, home, err := unitSettings(e, o)
	if err != nil {
		return nil, err
	}
	var files []unit.File
	dir := unitDir(e.Getenv, o.System)
	if o.Launchd {
		dir = filepath.Join(home, "Library", "LaunchAgents")
		files, err = unit.Launchd(s)
	} else {
		files, err = unit.Systemd(s, o.Chat != "")
	}
	var placed []unitFile
	for _, f := range files {
		placed = append(placed, unitFile{Path: filepath.Join(dir, f.Name), Text: f.Text})
	}
	return placed, err
}

// unitDir is where systemd looks for the units.
func unitDir(getenv func(string) string, system bool) string {
	if system {
		return systemUnits
	}
	base := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) {
		base = filepath.Join(getenv("HOME"), ".config")
	}
	return filepath.Join(base, "systemd", "user")
}

// unitSettings says what the units need to know, and whose home they serve. A
// service has no environment but the one that is written down for it, so what
// leads to boo's directories and to git is.
func unitSettings(e *env, o serviceOptions) (s unit.Settings, home string, err error) {
	home = e.Getenv("HOME")
	if o.System {
		if s.User, home, err = serviceUser(e, o.User); err != nil {
			return s, home, err
		}
	}
	d, err := findDirs(func(name string) string {
		if name == "HOME" {
			return home
		}
		return e.Getenv(name)
	})
	if err != nil {
		return s, home, err
	}
	if s.Program, err = os.Executable(); err != nil {
		return s, home, orchestrator.Errorf(orchestrator.CodeUnverified, "find out where boo's program is: %w", err)
	}
	s.EnvFile, s.Log = filepath.Join(d.Config, "environment"), filepath.Join(d.State, "daemon.log")
	if path := absolutePath(e.Getenv("PATH")); path != "" {
		s.Environ = append(s.Environ, "PATH="+path)
	}
	for _, name := range []string{"BOO_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
		if value := e.Getenv(name); filepath.IsAbs(value) {
			s.Environ = append(s.Environ, name+"="+value)
		}
	}
	return s, home, nil
}

// absolutePath leaves out of PATH what depends on where one stands.
func absolutePath(path string) string {
	var dirs []string
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// serviceUser is whom services of the whole machine run as. Agents are not run
// as root because somebody forgot to say otherwise.
func serviceUser(e *env, name string) (login, home string, err error) {
	if name == "" {
		name = e.Getenv("SUDO_USER")
	}
	if name == "" {
		return "", "", orchestrator.Errorf(orchestrator.CodeInvalid, "--system: whom shall the agents run as? --user NAME says it").
			WithHint("boo service install --system --user NAME")
	}
	u, err := user.Lookup(name)
	if err != nil {
		return "", "", orchestrator.Errorf(orchestrator.CodeNotFound, "--user: %w", err)
	}
	return u.Username, u.HomeDir, nil
}

// writeUnits writes the files, none if one of them is somebody else's.
func writeUnits(files []unitFile) error {
	for _, f := range files {
		ours, err := isOurUnit(f.Path)
		if err == nil && !ours {
			return orchestrator.Errorf(orchestrator.CodeConflict, "%s is not of boo's making; nothing was written", f.Path).
				WithHint("mv %s %s.other", f.Path, f.Path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unitDenied(err)
		}
	}
	for _, f := range files {
		if err := writeUnit(f); err != nil {
			return unitDenied(err)
		}
	}
	return nil
}

// isOurUnit reports whether a file is one that boo has written.
func isOurUnit(path string) (bool, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	text, err := os.ReadFile(path)
	return strings.HasPrefix(string(text), "# "+unit.Mark), err
}

// writeUnit replaces a file as a whole.
func writeUnit(f unitFile) error {
	dir := filepath.Dir(f.Path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	draft, err := os.CreateTemp(dir, ".boo-*")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	_, err = draft.WriteString(f.Text)
	if err = errors.Join(err, draft.Chmod(0o644), draft.Sync(), draft.Close()); err != nil {
		return err
	}
	return os.Rename(draft.Name(), f.Path)
}

func unitDenied(err error) error {
	return orchestrator.Errorf(orchestrator.CodeDenied, "write the units: %w", err).WithHint("sudo boo service install --system, or without --system for yourself")
}
