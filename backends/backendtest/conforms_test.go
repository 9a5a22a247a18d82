package backendtest_test

import (
	"os"
	"testing"

	"boo/backends"
	"boo/backends/acp"
	"boo/backends/backendtest"
	"boo/backends/backendtest/scriptedmodel"
	"boo/backends/proc"
	"boo/orchestrator"
)

// builtin is boo's own way to a built-in agent that boo has installed.
func builtin(t *testing.T, name orchestrator.AgentName) backendtest.Subject {
	t.Helper()
	r, err := backends.New(backends.Options{
		Launcher:  proc.Launcher{},
		Protocols: map[string]backends.Protocol{"acp": acp.Protocol{Version: "test"}},
		Data:      backendtest.Data(t, name),
		Environ:   backendtest.Environ(t, name, model(t, scriptedmodel.Options{}).URL(), t.TempDir()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return backendtest.Subject{Agents: r, Agent: name}
}

// agents are those whose real programs are held to the suite. It takes a
// minute each, so that some are only tried when BOO_TEST_AGENTS=all asks for it.
func agents() []orchestrator.AgentName {
	names := []orchestrator.AgentName{"goose", "qwen", "opencode-acp"}
	if os.Getenv("BOO_TEST_AGENTS") == "all" {
		names = append(names, "codex", "claude", "gemini")
	}
	return names
}

func TestRealAgentsConform(t *testing.T) {
	for _, name := range agents() {
		t.Run(string(name), func(t *testing.T) {
			backendtest.Suite(t, func(t *testing.T) backendtest.Subject { return builtin(t, name) })
		})
	}
}
