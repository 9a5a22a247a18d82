package backends

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"boo/orchestrator"
)

// Custom is one [agents.NAME] table of the configuration: an agent of the
// person's own, or changes to a built-in one of that name. Fields left out
// keep what the built-in definition has.
type Custom struct {
	Command  []string          `toml:"command"`  // program and arguments, as they are passed: no shell
	Protocol string            `toml:"protocol"` // "acp" if empty
	Env      map[string]string `toml:"env"`
	EnvPass  []string          `toml:"env_pass"` // names, or prefixes ending in "*"
	ModelEnv string            `toml:"model_env"`
	Mode     string            `toml:"mode"`
	// Shared lets one process of it hold the sessions of several chats.
	Shared *bool `toml:"shared"`
	// StartTime is what it gets to answer the handshake: "30s".
	StartTime time.Duration `toml:"start_time"`
}

// customStart is what an agent that boo does not know gets to answer the handshake
// unless its table says so: many take seconds, and longer on a busy machine.
const customStart = 30 * time.Second

// apply lays a table of the configuration over a definition.
func (c Custom) apply(def Definition) Definition {
	if len(c.Command) > 0 {
		def.Program, def.Args = c.Command[0], slices.Clone(c.Command[1:])
	}
	if c.Protocol != "" {
		def.Protocol = c.Protocol
	}
	env := maps.Clone(def.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, c.Env)
	def.Env = env
	def.EnvPass = append(slices.Clone(def.EnvPass), c.EnvPass...)
	if c.ModelEnv != "" {
		def.ModelEnv = c.ModelEnv
	}
	if c.Mode != "" {
		// A mode in the configuration is meant: no variable undoes it.
		def.Mode, def.ModeEnv = c.Mode, ""
	}
	if c.Shared != nil {
		def.Shared = *c.Shared
	}
	def.Quirks.StartTime = cmp.Or(c.StartTime, def.Quirks.StartTime)
	return def
}

func (c Custom) check(name orchestrator.AgentName, builtin bool) error {
	table := "agents." + string(name)
	if _, err := orchestrator.ParseAgentName(string(name)); err != nil {
		return err
	}
	if len(c.Command) == 0 && !builtin || len(c.Command) > 0 && c.Command[0] == "" {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "%s in the configuration names no command", table).
			WithHint("command = [\"PROGRAM\", \"ARGUMENT\"]")
	}
	if c.StartTime < 0 {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "%s.start_time in the configuration: %s is no time to start in", table, c.StartTime)
	}
	for _, word := range c.Command {
		if strings.ContainsRune(word, 0) {
			return orchestrator.Errorf(orchestrator.CodeInvalid, "%s.command in the configuration contains a NUL", table)
		}
	}
	names := slices.Concat(slices.Sorted(maps.Keys(c.Env)), c.EnvPass, []string{c.ModelEnv})
	for _, variable := range names {
		if strings.ContainsAny(variable, "=\x00") || reserved(variable) {
			return orchestrator.Errorf(orchestrator.CodeInvalid, "%s in the configuration: %q is not a variable that an agent can be given", table, variable)
		}
	}
	for variable, value := range c.Env {
		if variable == "" || strings.ContainsRune(value, 0) {
			return orchestrator.Errorf(orchestrator.CodeInvalid, "%s.env in the configuration: %q cannot be set", table, variable)
		}
	}
	return nil
}
