package orchestrator_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/backends/backendtest"
	"boo/backends/backendtest/scriptedmodel"
	"boo/orchestrator"
)

// real has the world find real agents, and returns how to send to them: with an
// environment that leads them to a scripted model.
func (w *world) real(agents ...orchestrator.AgentName) (turn func(agent orchestrator.AgentName, prompt string) heard) {
	w.t.Helper()
	model, err := scriptedmodel.Start(scriptedmodel.Options{})
	w.check(err)
	w.t.Cleanup(func() { _ = model.Close() })
	environ := map[orchestrator.AgentName][]string{}
	for _, name := range agents {
		environ[name] = backendtest.Environ(w.t, name, model.URL(), w.t.TempDir())
		installed := filepath.Join(backendtest.Data(w.t, name), "agents")
		if _, err := os.Lstat(filepath.Join(w.data, "agents")); err != nil {
			w.check(os.Symlink(installed, filepath.Join(w.data, "agents")))
		}
	}
	return func(agent orchestrator.AgentName, prompt string) heard {
		w.t.Helper()
		h := w.follow(w.send(agent, prompt, func(r *orchestrator.SendRequest) {
			r.Environ, r.Permissions = environ[agent], orchestrator.PermissionsAuto
		}).Turn, nil)
		if h.state != orchestrator.TurnCompleted {
			w.t.Fatalf("turn %q of %s ended as %s: %s", prompt, agent, h.state, h.reason)
		}
		return h
	}
}

// TestRealAgentsTakeTurns goes through the ladder with two real agents on one
// worktree: each hears what the other did, and comes back to its own session.
func TestRealAgentsTakeTurns(t *testing.T) {
	pairs := [][2]orchestrator.AgentName{{"goose", "qwen"}}
	// As in the conformance suite: it takes minutes on a small machine.
	if asked := strings.Split(os.Getenv("BOO_TEST_AGENTS"), ","); slices.Contains(asked, "all") || slices.Contains(asked, "opencode") {
		pairs = append(pairs, [2]orchestrator.AgentName{"opencode", "goose"})
	}
	for _, pair := range pairs {
		t.Run(string(pair[0]+" and "+pair[1]), func(t *testing.T) { takeTurns(t, pair[0], pair[1]) })
	}
}

func takeTurns(t *testing.T, first, second orchestrator.AgentName) {
	w := newWorld(t)
	turn := w.real(first, second)
	var home [2]string // the sessions that they began with
	for _, step := range []struct {
		agent  orchestrator.AgentName
		prompt string
		rung   orchestrator.Rung
		knows  string
	}{
		{first, "remember HERON;;write shared.txt with first", orchestrator.RungNew, ""},
		{second, "recall", orchestrator.RungHistory, "HERON"},
		{second, "remember EGRET;;run echo second >shared.txt", orchestrator.RungWarm, ""},
		{first, "recall", orchestrator.RungWarm, "EGRET"},
		{"", "", "", ""}, // all agents end
		{first, "remember STORK;;write own.txt with own", orchestrator.RungResumed, ""},
		{second, "recall", orchestrator.RungResumed, "STORK"},
		{first, "recall", orchestrator.RungWarm, "STORK"},
	} {
		if step.agent == "" {
			home = [2]string{w.session(first).NativeID, w.session(second).NativeID}
			w.check(w.Restart(t.Context(), orchestrator.ChatRef{Dir: w.repo}, ""))
			continue
		}
		h := turn(step.agent, step.prompt)
		if rung := h.summary().Rung; rung != step.rung || !strings.Contains(h.text(), step.knows) {
			t.Errorf("%s, %q: session %s, want %s; it said %q, want %q", step.agent, step.prompt, rung, step.rung, h.text(), step.knows)
		}
	}
	if now := [2]string{w.session(first).NativeID, w.session(second).NativeID}; now != home {
		t.Errorf("they are in sessions %q, and began in %q", now, home)
	}
	if got, err := os.ReadFile(w.tree("shared.txt")); err != nil || string(got) != "second\n" {
		t.Errorf("shared.txt: %q, %v", got, err)
	}
	want := []string{"own.txt by " + string(first), "shared.txt by " + string(first+","+second)}
	if got := w.changes(); !slices.Equal(got, want) {
		t.Errorf("pending: %q, want %q", got, want)
	}
}
