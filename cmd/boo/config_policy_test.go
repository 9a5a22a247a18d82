package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

func policyOf(t *testing.T, text string) (orchestrator.Policy, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := readConfig(dir, "/home/pat")
	return c.Policy, err
}

func TestWithoutSettingsTurnsAreWatchedOver(t *testing.T) {
	c, err := readConfig(t.TempDir(), "/home/pat")
	p := c.Policy
	if err != nil || p.Stall != 15*time.Minute || p.Loop != orchestrator.LoopHalt || p.Permissions != "" || p.AskFor != 0 || p.Turn != (orchestrator.Limits{}) {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestThePolicyIsRead(t *testing.T) {
	p, err := policyOf(t, `
[permissions]
mode = "auto"
timeout = "10m"
[[permissions.rules]]
kind = "execute"
command = "go test *"
decision = "allow"
[[permissions.rules]]
path = "~/notes/**"
decision = "reject"
[turn]
stall = "0s"
loop = "warn"
[budget.turn]
cost = 2.5
time = "1h"
[budget.chat]
tokens = 5_000_000
tool_calls = 7
[hooks]
on_turn_end = ["notify-send", "boo"]
`)
	if err != nil {
		t.Fatal(err)
	}
	if p.Permissions != orchestrator.PermissionsAuto || p.AskFor != 10*time.Minute || len(p.Rules) != 2 || p.Home != "/home/pat" ||
		p.Stall != 0 || p.Loop != orchestrator.LoopWarn || !slices.Equal(p.OnTurnEnd, []string{"notify-send", "boo"}) {
		t.Errorf("%+v", p)
	}
	if p.Turn != (orchestrator.Limits{Cost: 2.5, Time: time.Hour}) || p.Chat != (orchestrator.Limits{Tokens: 5_000_000, Calls: 7}) {
		t.Errorf("%+v, %+v", p.Turn, p.Chat)
	}
}

func TestAPolicyThatCannotBeIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"\n[permissions]\nmode = \"yes\"\n": ":3: permissions.mode: there is no permission mode",
		"[[permissions.rules]]\ndecision = \"allow\"\n[[permissions.rules]]\ndecision = \"no\"\n": "permissions.rules: rule 2: there is no decision",
		"[[permissions.rules]]\nkind = \"cook\"\ndecision = \"allow\"\n":                          "rule 1: there is no kind",
		"[turn]\nloop = \"sometimes\"\n":                                                          ":2: turn.loop: there is no mode",
		"[turn]\nstall = \"-1s\"\n":                                                               ":2: turn.stall: a time cannot be below 0",
		"[turn]\nmax_steps = -1\n":                                                                ":2: turn.max_steps: a number cannot be below 0",
		"[budget.turn]\ncost = -1.0\n":                                                            ":1: budget.turn: a limit cannot be below 0",
		"[budget]\ncost = 1.0\n":                                                                  ":2: boo knows no setting budget.cost",
		"[hooks]\non_turn_end = [\"./run\"]\n":                                                    ":2: hooks.on_turn_end: ./run is neither",
	} {
		if _, err := policyOf(t, text); err == nil || !strings.Contains(err.Error(), want) || orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}
