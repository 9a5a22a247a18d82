package main

import (
	"os"
	"path/filepath"

	"boo/orchestrator"
)

// dirs are the places where boo keeps its files. Nothing is made by naming them.
type dirs struct {
	Config string // of config.toml
	Data   string // the store, worktrees, installed agents, the daemon's socket
	State  string // logs
}

// findDirs names the directories: below $BOO_HOME if that is set, else where the
// XDG base directory specification puts them.
func findDirs(getenv func(string) string) (dirs, error) {
	if home := getenv("BOO_HOME"); home != "" {
		if !filepath.IsAbs(home) {
			return dirs{}, orchestrator.Errorf(orchestrator.CodeInvalid, "BOO_HOME is not an absolute path: %s", home).
				WithHint(`export BOO_HOME="$PWD/%s"`, home)
		}
		return dirs{
			Config: home,
			Data:   filepath.Join(home, "data"),
			State:  filepath.Join(home, "state"),
		}, nil
	}
	home := getenv("HOME")
	// The specification: a value that is not absolute is as good as none.
	base := func(variable, fallback string) string {
		if dir := getenv(variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, "boo")
		}
		if home == "" {
			return ""
		}
		return filepath.Join(home, fallback, "boo")
	}
	d := dirs{
		Config: base("XDG_CONFIG_HOME", ".config"),
		Data:   base("XDG_DATA_HOME", ".local/share"),
		State:  base("XDG_STATE_HOME", ".local/state"),
	}
	if d.Config == "" || d.Data == "" || d.State == "" {
		return dirs{}, orchestrator.Errorf(orchestrator.CodeInvalid, "HOME is not set, so there is no place for boo's files").
			WithHint("export BOO_HOME=/an/absolute/directory")
	}
	if !filepath.IsAbs(d.Config) || !filepath.IsAbs(d.Data) || !filepath.IsAbs(d.State) {
		return dirs{}, orchestrator.Errorf(orchestrator.CodeInvalid, "HOME is not an absolute path: %s", home)
	}
	return d, nil
}

// make makes the directories, for nobody else to read.
func (d dirs) make() error {
	for _, dir := range []string{d.Data, d.State} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return orchestrator.Errorf(orchestrator.CodeDenied, "make boo's directory: %w", err).
				WithHint("make %s writable, or export BOO_HOME=/another/directory", filepath.Dir(dir))
		}
	}
	return nil
}
