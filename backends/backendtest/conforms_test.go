package backendtest_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"boo/backends"
	"boo/backends/acp"
	"boo/backends/backendtest"
	"boo/backends/backendtest/scriptedmodel"
	"boo/backends/opencode"
	"boo/backends/proc"
	"boo/orchestrator"
)

// builtin is boo's own way to a built-in agent that boo has installed.
func builtin(t *testing.T, name orchestrator.AgentName) backendtest.Subject {
	t.Helper()
	r, err := backends.New(backends.Options{
		Launcher:  proc.Launcher{},
		Protocols: map[string]backends.Protocol{"acp": acp.Protocol{Version: "test"}, "opencode": opencode.Protocol{}},
		Data:      backendtest.Data(t, name),
		Environ:   backendtest.Environ(t, name, model(t, scriptedmodel.Options{}).URL(), t.TempDir()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return backendtest.Subject{Agents: r, Agent: name}
}

// agents are those whose real programs are held to the suite. It takes the
// slower ones minutes on a small machine, so that they are only tried when
// BOO_TEST_AGENTS names them, or is "all".
func agents() []orchestrator.AgentName {
	names := []orchestrator.AgentName{"goose", "qwen"}
	more := os.Getenv("BOO_TEST_AGENTS")
	for _, name := range []orchestrator.AgentName{"opencode", "opencode-acp", "codex", "claude", "gemini"} {
		if more == "all" || slices.Contains(strings.Split(more, ","), string(name)) {
			names = append(names, name)
		}
	}
	return names
}

func TestRealAgentsConform(t *testing.T) {
	t.Parallel()
	for _, name := range agents() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel() // while one waits, another can start
			backendtest.Suite(t, func(t *testing.T) backendtest.Subject { return builtin(t, name) })
		})
	}
}

// What one form of opencode began the other goes on with, and back again.
func TestFormsOfOpencodeShareTheirSessions(t *testing.T) {
	if !slices.Contains(agents(), "opencode-acp") {
		return // it takes minutes on a small machine
	}
	s := builtin(t, "opencode")
	backendtest.Kin(t, s, "opencode-acp")
}
