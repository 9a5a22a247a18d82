package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"boo/backends/backendtest"
	"boo/backends/backendtest/scriptedagent"
	"boo/backends/backendtest/scriptedmodel"
	"boo/orchestrator/daemon"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the programs that the scripts run.
func TestMain(m *testing.M) {
	supervise()
	testscript.Main(m, map[string]func(){
		"boo":      main,
		"boo-fake": fakeMain,
		// The scripted agent, for what real agents cannot be made to do.
		"boo-agent": func() { syscall.Exit(scriptedagent.Main(os.Args[1:])) },
	})
}

// TestScripts runs the scripts of testdata/script, each in a fresh home, with
// the real git, the real goose on PATH and a scripted model of its own.
func TestScripts(t *testing.T) {
	goose, data := backendtest.Goose(t), backendtest.GooseData(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(s *testscript.Env) error { return setupScript(s, goose, data) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": exitStatus,
			"until":  until,
			"match":  match,
			"ended":  ended,
			"gone":   gone,
			// On a terminal.
			"answers": answers,
		},
	})
}

// endDaemons ends the daemons of a script: in order, and by force where that
// takes too long.
func endDaemons(work string) {
	ctx, cancel := context.WithTimeout(context.Background(), waitTime)
	defer cancel()
	homes, _ := filepath.Glob(filepath.Join(work, "*", "data", "locks"))
	for _, locks := range homes {
		client := daemon.Client{Place: daemon.Place{Data: filepath.Dir(locks)}}
		info, err := client.Info(ctx)
		if err != nil {
			continue
		}
		if client.Stop(ctx, false) != nil {
			_ = syscall.Kill(info.PID, syscall.SIGKILL)
		}
	}
}

// exitStatus runs a program that has to end with a given status, and keeps what
// it prints as exec does.
func exitStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program [arguments]")
	}
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		status = ended.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(status) != args[0] {
		ts.Fatalf("%s ended with status %d, want %s", strings.Join(args[1:], " "), status, args[0])
	}
}

func setupScript(s *testscript.Env, goose, data string) error {
	s.Values[scriptEnv{}] = s
	home, bin := filepath.Join(s.WorkDir, "home"), filepath.Join(s.WorkDir, "bin")
	for _, dir := range []string{home, bin} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := os.Symlink(goose, filepath.Join(bin, "goose")); err != nil {
		return err
	}
	model, err := scriptedmodel.Start(scriptedmodel.Options{})
	if err != nil {
		return err
	}
	s.Defer(func() { _ = model.Close() })
	s.Defer(func() { endDaemons(s.WorkDir) })
	for name, value := range scriptedmodel.GooseEnv(model.URL(), filepath.Join(s.WorkDir, "goose")) {
		s.Setenv(name, value)
	}
	s.Setenv("AGENTS", filepath.Join(data, "agents"))
	s.Setenv("PATH", bin+string(os.PathListSeparator)+s.Getenv("PATH"))
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
