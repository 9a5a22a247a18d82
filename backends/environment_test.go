package backends_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boo/backends"
	"boo/orchestrator"
)

// environmentOf starts an agent and returns what it was given.
func environmentOf(t *testing.T, agent orchestrator.AgentName, model string, custom backends.Custom, person ...string) []string {
	t.Helper()
	s := &stage{}
	r := s.registry(t, backends.Options{
		Environ: person,
		Custom:  map[orchestrator.AgentName]backends.Custom{agent: custom},
	})
	if _, err := r.Start(t.Context(), orchestrator.SessionRequest{Agent: agent, Model: model, Dir: "/"}); err != nil {
		t.Fatal(err)
	}
	return s.launched[0].Env
}

func TestAnAgentGetsOnlyWhatIsAllowed(t *testing.T) {
	got := environmentOf(t, "mine", "", backends.Custom{Command: []string{"/bin/sh"}, EnvPass: []string{"MY_*", "ONE"}},
		"PATH=/bin", "HOME=/h", "LC_ALL=C", "XDG_DATA_HOME=/d", "https_proxy=http://p", "SSL_CERT_FILE=/c",
		"MY_KEY=1", "ONE=1", "ONE_MORE=no", "AWS_SECRET_ACCESS_KEY=no", "GITHUB_TOKEN=no", "LD_PRELOAD=no", "SSH_AUTH_SOCK=no",
		"BOO_HOME=no", "BOO_RUN=no", "GIT_DIR=no", "malformed", "=odd", "LANG=")
	want := []string{"HOME=/h", "LANG=", "LC_ALL=C", "MY_KEY=1", "ONE=1", "PATH=/bin", "SSL_CERT_FILE=/c", "XDG_DATA_HOME=/d", "https_proxy=http://p"}
	if !slices.Equal(got, want) {
		t.Errorf("environment = %q\nwant %q", got, want)
	}
}

func TestGooseGetsItsKeysAndModeAndNothingOfOthers(t *testing.T) {
	shell := backends.Custom{Command: []string{"/bin/sh"}}
	got := environmentOf(t, "goose", "", shell, "GOOSE_PROVIDER=openai", "OPENAI_API_KEY=k", "DBUS_SESSION_BUS_ADDRESS=b", "MY_SECRET=no")
	want := []string{"DBUS_SESSION_BUS_ADDRESS=b", "GOOSE_MODE=auto", "GOOSE_PROVIDER=openai", "OPENAI_API_KEY=k"}
	if !slices.Equal(got, want) {
		t.Errorf("environment = %q\nwant %q", got, want)
	}
}

func TestClaudeIsToldOfASandboxWhereItTakesItForOne(t *testing.T) {
	shell := backends.Custom{Command: []string{"/bin/sh"}}
	for value, passed := range map[string]bool{"1": true, "yes": false, "true": false, "11": false} {
		got := environmentOf(t, "claude", "", shell, "IS_SANDBOX="+value)
		if slices.Contains(got, "IS_SANDBOX="+value) != passed {
			t.Errorf("IS_SANDBOX=%s: %q", value, got)
		}
	}
}

func TestTheModelThatWasAskedForWins(t *testing.T) {
	shell := backends.Custom{Command: []string{"/bin/sh"}, Env: map[string]string{"GOOSE_MODEL": "configured"}}
	tests := []struct{ asked, person, want string }{
		{"", "", "configured"},
		{"", "mine", "mine"},
		{"asked", "mine", "asked"},
	}
	for _, test := range tests {
		var person []string
		if test.person != "" {
			person = []string{"GOOSE_MODEL=" + test.person}
		}
		got := environmentOf(t, "goose", test.asked, shell, person...)
		if !slices.Contains(got, "GOOSE_MODEL="+test.want) {
			t.Errorf("asked %q, person's %q: %q", test.asked, test.person, got)
		}
	}
}

func TestThePersonsModeTakesThePlaceOfBoos(t *testing.T) {
	path := "PATH=" + filepath.Dir(program(t, t.TempDir(), "bin", "goose"))
	mode := func(custom backends.Custom, own []string, asking ...string) string {
		s := &stage{}
		r := s.registry(t, backends.Options{Environ: append(own, path), Custom: map[orchestrator.AgentName]backends.Custom{"goose": custom}})
		req := orchestrator.SessionRequest{Agent: "goose", Dir: "/"}
		if asking != nil {
			req.Environ = append(asking, path)
		}
		if _, err := r.Start(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		return s.opened[0].Mode
	}
	for _, test := range []struct {
		got, want string
	}{
		{mode(backends.Custom{}, nil), "auto"},
		{mode(backends.Custom{}, []string{"GOOSE_MODE=approve"}), "approve"},
		{mode(backends.Custom{}, []string{"GOOSE_MODE=approve"}, "GOOSE_MODE=chat"), "chat"},
		{mode(backends.Custom{}, []string{"GOOSE_MODE=approve"}, "A=b"), "auto"},
		{mode(backends.Custom{Mode: "chat"}, []string{"GOOSE_MODE=approve"}), "chat"},
	} {
		if test.got != test.want {
			t.Errorf("mode = %s, want %s", test.got, test.want)
		}
	}
}

func TestEveryBuiltinAgentIsWholeAndPinned(t *testing.T) {
	for _, def := range backends.Builtin() {
		if _, err := orchestrator.ParseAgentName(string(def.Name)); err != nil {
			t.Error(err)
		}
		if def.Title == "" || def.Program == "" || def.Protocol == "" || def.Package.Name == "" || def.Package.Bin == "" || def.Package.SizeMB == 0 {
			t.Errorf("%s is not whole: %+v", def.Name, def)
		}
		if strings.Count(def.Package.Version, ".") != 2 {
			t.Errorf("%s is not pinned: %q", def.Name, def.Package.Version)
		}
	}
}
