package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/BurntSushi/toml"

	"boo/orchestrator"
)

// policyConfig is what config.toml says about watching over turns.
type policyConfig struct {
	Permissions struct {
		Mode    string          `toml:"mode"`
		Timeout time.Duration   `toml:"timeout"`
		Rules   []permitRuleRow `toml:"rules"`
	} `toml:"permissions"`
	Turn struct {
		Stall time.Duration         `toml:"stall"`
		Loop  orchestrator.LoopMode `toml:"loop"`
		Steps int                   `toml:"max_steps"`
	} `toml:"turn"`
	Budget struct {
		Turn limitsRow `toml:"turn"`
		Chat limitsRow `toml:"chat"`
	} `toml:"budget"`
	Hooks struct {
		OnTurnEnd []string `toml:"on_turn_end"`
	} `toml:"hooks"`
}

// permitRuleRow is a rule; see [orchestrator.NewPermissionRule].
type permitRuleRow struct {
	Kind     string                `toml:"kind"`
	Command  string                `toml:"command"`
	Path     string                `toml:"path"`
	Decision orchestrator.Decision `toml:"decision"`
}

type limitsRow struct {
	Tokens int64         `toml:"tokens"`
	Cost   float64       `toml:"cost"`
	Time   time.Duration `toml:"time"`
	Calls  int           `toml:"tool_calls"`
}

func (r limitsRow) limits() orchestrator.Limits { return orchestrator.Limits(r) }

// defaultStall is how long an agent may give no sign of life.
const defaultStall = 15 * time.Minute

func defaultPolicy() policyConfig {
	var p policyConfig
	p.Turn.Stall, p.Turn.Loop = defaultStall, orchestrator.LoopHalt
	return p
}

// badSetting is a setting that cannot be as it is.
type badSetting struct {
	key toml.Key
	err error
}

func (b badSetting) Error() string { return b.key.String() + ": " + b.err.Error() }

// policy returns what the engine goes by, or what is wrong with it.
func (p policyConfig) policy(home string) (orchestrator.Policy, *badSetting) {
	out := orchestrator.Policy{
		AskFor: p.Permissions.Timeout, Home: home, Stall: p.Turn.Stall, Loop: p.Turn.Loop, MaxSteps: p.Turn.Steps,
		Turn: p.Budget.Turn.limits(), Chat: p.Budget.Chat.limits(), OnTurnEnd: p.Hooks.OnTurnEnd,
	}
	bad := func(err error, key ...string) (orchestrator.Policy, *badSetting) {
		return out, &badSetting{toml.Key(key), err}
	}
	var err error
	if out.Permissions, err = orchestrator.ParsePermissionMode(p.Permissions.Mode); err != nil {
		return bad(err, "permissions", "mode")
	}
	for i, row := range p.Permissions.Rules {
		rule, err := orchestrator.NewPermissionRule(row.Kind, row.Command, row.Path, row.Decision)
		if err != nil {
			return bad(fmt.Errorf("rule %d: %w", i+1, err), "permissions", "rules")
		}
		out.Rules = append(out.Rules, rule)
	}
	if out.AskFor < 0 {
		return bad(fmt.Errorf("a time cannot be below 0"), "permissions", "timeout")
	}
	if out.Stall < 0 {
		return bad(fmt.Errorf("a time cannot be below 0; 0 is for ever"), "turn", "stall")
	}
	if out.MaxSteps < 0 {
		return bad(fmt.Errorf("a number cannot be below 0; 0 is any"), "turn", "max_steps")
	}
	if !slices.Contains([]orchestrator.LoopMode{orchestrator.LoopHalt, orchestrator.LoopWarn, orchestrator.LoopOff}, out.Loop) {
		return bad(fmt.Errorf("there is no mode %q; there is: halt, warn, off", out.Loop), "turn", "loop")
	}
	for name, l := range map[string]orchestrator.Limits{"turn": out.Turn, "chat": out.Chat} {
		if err := checkLimits(l); err != nil {
			return bad(err, "budget", name)
		}
	}
	if hook := p.Hooks.OnTurnEnd; len(hook) > 0 && hook[0] == "" {
		return bad(fmt.Errorf("it names no program"), "hooks", "on_turn_end")
	} else if len(hook) > 0 && !filepath.IsAbs(hook[0]) && filepath.Base(hook[0]) != hook[0] {
		return bad(fmt.Errorf("%s is neither the name of a program nor an absolute path", hook[0]), "hooks", "on_turn_end")
	}
	return out, nil
}

func checkLimits(l orchestrator.Limits) error {
	if l.Tokens < 0 || l.Cost < 0 || l.Time < 0 || l.Calls < 0 {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "a limit cannot be below 0; 0 is none")
	}
	return nil
}
