package backendtest_test

import (
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

func conforms(t *testing.T, name orchestrator.AgentName) {
	backendtest.Suite(t, func(t *testing.T) backendtest.Subject { return builtin(t, name) })
}

func TestRealGooseConforms(t *testing.T)    { conforms(t, "goose") }
func TestRealQwenConforms(t *testing.T)     { conforms(t, "qwen") }
func TestRealGeminiConforms(t *testing.T)   { conforms(t, "gemini") }
func TestRealClaudeConforms(t *testing.T)   { conforms(t, "claude") }
func TestRealCodexConforms(t *testing.T)    { conforms(t, "codex") }
func TestRealOpencodeConforms(t *testing.T) { conforms(t, "opencode-acp") }
