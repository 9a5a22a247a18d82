package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the programs that the scripts run.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"boo":      main,
		"boo-fake": fakeMain,
	})
}

// TestScripts runs the scripts of testdata/script, each in a fresh home, with
// the real git.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupScript,
	})
}

func setupScript(s *testscript.Env) error {
	home := filepath.Join(s.WorkDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	s.Setenv("HOME", home)
	s.Setenv("BOO_HOME", filepath.Join(s.WorkDir, "boo-home"))
	for name, value := range map[string]string{
		"GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME":     "Pat", "GIT_AUTHOR_EMAIL": "pat@example.invalid",
		"GIT_COMMITTER_NAME": "Pat", "GIT_COMMITTER_EMAIL": "pat@example.invalid",
	} {
		s.Setenv(name, value)
	}
	return nil
}
