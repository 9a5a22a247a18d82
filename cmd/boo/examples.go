package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// examples are for the commands whose descriptions have none.
var examples = map[string][]string{
	"agents doctor":     {"boo agents doctor goose"},
	"agents install":    {"boo agents install goose"},
	"agents ls":         {"boo agents ls"},
	"approve":           {"boo approve"},
	"chat close":        {"boo chat close nightly"},
	"chat ls":           {"boo chat ls --all"},
	"chat reopen":       {"boo chat reopen nightly"},
	"chat reset":        {"boo chat reset --agent goose nightly"},
	"chat restart":      {"boo chat restart --agent goose"},
	"chat rm":           {"boo chat rm nightly"},
	"chat show":         {"boo chat show nightly"},
	"checkpoint export": {"boo checkpoint export --dir checkpoints"},
	"checkpoint gc":     {"boo checkpoint gc"},
	"checkpoint import": {"boo checkpoint import --dir checkpoints"},
	"checkpoint ls":     {"boo checkpoint ls"},
	"checkpoint show":   {"boo checkpoint show"},
	"checkpoint verify": {"boo checkpoint verify"},
	"daemon run":        {"boo daemon run"},
	"daemon start":      {"boo daemon start"},
	"daemon status":     {"boo daemon status --json"},
	"daemon stop":       {"boo daemon stop --when-idle"},
	"demo":              {"boo demo"},
	"doctor":            {"boo doctor"},
	"pending apply":     {"boo pending apply src/ -p"},
	"pending blame":     {"boo pending blame src/main.go"},
	"pending check":     {"boo pending check"},
	"pending conflicts": {"boo pending conflicts"},
	"pending diff":      {"boo pending diff src/ | less"},
	"pending ls":        {"boo pending ls --all"},
	"pending reject":    {"boo pending reject notes.txt -m \"keep it\""},
	"pending show":      {"boo pending show src/main.go"},
	"pending undo":      {"boo pending undo"},
	"permit allow":      {"boo permit allow"},
	"permit deny":       {"boo permit deny"},
	"permit ls":         {"boo permit ls"},
	"reaper log":        {"boo reaper log"},
	"reaper run":        {"boo reaper run --dry-run"},
	"reaper serve":      {"boo reaper serve --every 10m"},
	"reaper status":     {"boo reaper status"},
	"service install":   {"boo service install"},
	"service print":     {"boo service print"},
	"service uninstall": {"boo service uninstall"},
	"turn retry":        {"boo turn retry t1a2b3c4d5"},
	"turn show":         {"boo turn show t1a2b3c4d5"},
	"version":           {"boo version --json"},
	"worktree archive":  {"boo worktree archive nightly"},
	"worktree ls":       {"boo worktree ls --all"},
	"worktree repair":   {"boo worktree repair"},
	"worktree restore":  {"boo worktree restore nightly"},
	"worktree risk":     {"boo worktree risk"},
}

// hasExample reports whether a description has a line to try.
func hasExample(description string) bool {
	for line := range strings.Lines(description) {
		if strings.HasPrefix(line, "  ") && strings.Contains(line, "boo ") {
			return true
		}
	}
	return false
}

// exemplify gives a command an example if it has none.
func exemplify(c *cli.Command, path string) {
	if lines := examples[path]; len(lines) > 0 && !hasExample(c.Description) {
		c.Description = strings.TrimPrefix(c.Description+"\n  "+strings.Join(lines, "\n  "), "\n")
	}
	for _, sub := range c.Subcommands {
		exemplify(sub, path+" "+sub.Name)
	}
}
