package backendtest_test

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"boo/backends"
	"boo/backends/acp"
	"boo/backends/backendtest"
	"boo/backends/backendtest/scriptedagent"
	"boo/backends/proc"
	"boo/orchestrator"
)

// TestMain makes the test binary a supervisor and a scripted agent too.
func TestMain(m *testing.M) {
	proc.Main()
	if len(os.Args) > 1 && os.Args[1] == "boo-agent" {
		syscall.Exit(scriptedagent.Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// registry is boo's own way to an agent, with one command and environment.
func registry(t *testing.T, name orchestrator.AgentName, command, environ []string) backendtest.Subject {
	t.Helper()
	start := time.Duration(0)
	if slices.Contains(command, "never") { // it is known not to begin
		start = time.Second
	}
	r, err := backends.New(backends.Options{
		Launcher:  proc.Launcher{},
		Protocols: map[string]backends.Protocol{"acp": acp.Protocol{Version: "test"}},
		Custom:    map[orchestrator.AgentName]backends.Custom{name: {Command: command, StartTime: start}},
		Data:      t.TempDir(),
		Environ:   environ,
	})
	if err != nil {
		t.Fatal(err)
	}
	return backendtest.Subject{Agents: r, Agent: name}
}

func scripted(t *testing.T, args ...string) backendtest.Subject {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return registry(t, "scripted", append([]string{program, "boo-agent", "--store", t.TempDir()}, args...),
		[]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()})
}

func TestScriptedAgentConforms(t *testing.T) {
	backendtest.Suite(t, func(t *testing.T) backendtest.Subject { return scripted(t) })
}

func TestScriptedAgentThatResumesConforms(t *testing.T) {
	backendtest.Suite(t, func(t *testing.T) backendtest.Subject { return scripted(t, "--resume", "--banner", "3") })
}

func TestScriptedAgentThatReplaysLateConforms(t *testing.T) {
	backendtest.Suite(t, func(t *testing.T) backendtest.Subject { return scripted(t, "--load", "late") })
}

func TestFaultsOfAnAgentAreStood(t *testing.T) {
	t.Parallel() // most of its time is waiting
	backendtest.Faults(t, scripted)
}

func TestBrokenLoadSurfaces(t *testing.T) {
	dir := t.TempDir()
	_, err := scripted(t, "--load", "broken").Agents.Start(t.Context(), orchestrator.SessionRequest{
		Agent: "scripted", Dir: orchestrator.WorktreeDir(dir), NativeID: "s-any", Had: true,
	})
	if orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v", err)
	}
}
