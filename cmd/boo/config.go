package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"boo/backends"
	"boo/orchestrator"
)

// config is config.toml.
type config struct {
	// DefaultAgent takes the first prompt of a chat when --agent names none.
	DefaultAgent orchestrator.AgentName `toml:"default_agent"`
	// Agents changes built-in agents and adds the person's own.
	Agents map[orchestrator.AgentName]backends.Custom `toml:"agents"`
	// Pool says how long and how many agents stay warm.
	Pool poolConfig `toml:"pool"`
	// Worktree says how many worktrees are ready before they are needed, and how
	// many are watched when nobody works in them.
	Worktree worktreeConfig `toml:"worktree"`
	// Reaper says when worktrees leave the disk that nobody uses.
	Reaper reaperConfig `toml:"reaper"`
	// Record says what is written down besides the store.
	Record recordConfig `toml:"record"`
	policyConfig

	// Policy is what the settings above come to for the engine.
	Policy orchestrator.Policy `toml:"-"`
}

// defaultConfig is the configuration of who has written none.
func defaultConfig(home string) config {
	c := config{DefaultAgent: "goose", Worktree: defaultWorktree(), Record: defaultRecord(), Reaper: defaultReaper(), policyConfig: defaultPolicy()}
	c.Policy, _ = c.policy(home)
	return c
}

// readConfig reads config.toml in dir; without one everything has its default.
// home is the person's home directory.
func readConfig(dir, home string) (config, error) {
	c := defaultConfig(home)
	path := filepath.Join(dir, "config.toml")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, orchestrator.Errorf(orchestrator.CodeDenied, "read the configuration: %w", err)
	}
	if err := decodeStrictly(path, string(text), &c); err != nil {
		return c, err
	}
	if _, err := orchestrator.ParseAgentName(string(c.DefaultAgent)); err != nil {
		return c, orchestrator.Errorf(orchestrator.CodeInvalid, "%s:%d: default_agent: %v", path, lineOf(string(text), toml.Key{"default_agent"}), err)
	}
	if key, err := c.Pool.check(); err != nil {
		return c, orchestrator.Errorf(orchestrator.CodeInvalid, "%s:%d: pool.%s: %v", path, lineOf(string(text), toml.Key{"pool", key}), key, err)
	}
	if key, err := c.Worktree.check(); err != nil {
		return c, orchestrator.Errorf(orchestrator.CodeInvalid, "%s:%d: worktree.%s: %v", path, lineOf(string(text), toml.Key{"worktree", key}), key, err)
	}
	if key, err := c.Reaper.check(); err != nil {
		return c, orchestrator.Errorf(orchestrator.CodeInvalid, "%s:%d: reaper.%s: %v", path, lineOf(string(text), toml.Key{"reaper", key}), key, err)
	}
	if key, err := c.Record.check(); err != nil {
		return c, orchestrator.Errorf(orchestrator.CodeInvalid, "%s:%d: record.%s: %v", path, lineOf(string(text), toml.Key{"record", key}), key, err)
	}
	policy, bad := c.policy(home)
	if bad != nil {
		return c, orchestrator.Errorf(orchestrator.CodeInvalid, "%s:%d: %v", path, lineOf(string(text), bad.key), bad)
	}
	c.Policy = policy
	return c, nil
}

// decodeStrictly reads TOML in which everything means something. Errors tell
// the line.
func decodeStrictly(path, text string, into any) error {
	invalid := func(line int, format string, args ...any) error {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "%s:%d: %s", path, line, fmt.Sprintf(format, args...)).
			WithHint("boo help configuration")
	}
	meta, err := toml.Decode(text, into)
	if parse, ok := errors.AsType[toml.ParseError](err); ok {
		return invalid(parse.Position.Line, "%s", parse.Message)
	}
	if err != nil {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "%s: %w", path, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return invalid(lineOf(text, unknown[0]), "boo knows no setting %s", unknown[0])
	}
	return nil
}

// lineOf finds the line that sets a key of a valid file. The decoder tells which
// keys it has no use for, but not where they stand.
func lineOf(text string, key toml.Key) int {
	want := strings.Join(key, ".")
	table, best := "", 1
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			end := strings.LastIndexByte(line, ']')
			table = plainKey(strings.Trim(line[:max(end, 0)], "[]"))
			if table == want {
				return number
			}
			continue
		}
		name, _, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		full := plainKey(name)
		if table != "" {
			full = table + "." + full
		}
		if full == want {
			return number
		}
		if strings.HasPrefix(want, full+".") { // inside of an inline table
			best = number
		}
	}
	return best
}

func plainKey(s string) string {
	var parts []string
	for part := range strings.SplitSeq(s, ".") {
		parts = append(parts, strings.Trim(strings.TrimSpace(part), `"'`))
	}
	return strings.Join(parts, ".")
}
