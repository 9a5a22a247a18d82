package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"boo/orchestrator"
)

// leaves calls do for each command that a person may run, with its words.
func leaves(commands []*cli.Command, words []string, do func(c *cli.Command, words []string)) {
	for _, c := range commands {
		below := append(slices.Clone(words), c.Name)
		if c.Hidden {
			continue
		}
		if len(c.Subcommands) == 0 {
			do(c, below)
		}
		leaves(c.Subcommands, below, do)
	}
}

func TestEveryCommandHasAnExample(t *testing.T) {
	e, _, _ := testEnv(newFake())
	known := map[string]bool{}
	leaves(newApp(e).Commands, nil, func(c *cli.Command, words []string) {
		known[strings.Join(words, " ")] = true
		if !hasExample(c.Description) {
			t.Errorf("boo %s has no example", strings.Join(words, " "))
		}
		if c.Usage == "" {
			t.Errorf("boo %s does not say what it does", strings.Join(words, " "))
		}
	})
	for path := range examples {
		if !known[path] {
			t.Errorf("there is an example for %q, which is no command", path)
		}
	}
	if len(known) < 30 {
		t.Errorf("only %d commands were looked at", len(known))
	}
}

var quotes = regexp.MustCompile(`"[^"]*"`)

func TestExamplesHaveFlagsThatAre(t *testing.T) {
	e, _, _ := testEnv(newFake())
	leaves(newApp(e).Commands, nil, func(c *cli.Command, words []string) {
		for line := range strings.Lines(c.Description) {
			command, _, _ := strings.Cut(line, "|")
			for word := range strings.FieldsSeq(quotes.ReplaceAllString(command, "")) {
				name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
				if !strings.HasPrefix(line, "  boo "+strings.Join(words, " ")) || !strings.HasPrefix(word, "-") || name == "" {
					continue
				}
				if !slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }) {
					t.Errorf("boo %s has no flag %s: %s", strings.Join(words, " "), word, line)
				}
			}
		}
	})
}

func TestTheTopicsOfHelpNameCommandsThatAre(t *testing.T) {
	e, stdout, _ := testEnv(newFake())
	app := newApp(e)
	for _, topic := range []string{"chats", "pending", "sessions", "reaper", "configuration"} {
		stdout.Reset()
		if status := e.run([]string{"boo", "help", topic}); status != 0 {
			t.Fatalf("%s: status %d", topic, status)
		}
		for line := range strings.Lines(stdout.String()) {
			words := strings.Fields(line)
			if len(words) < 2 || words[0] != "boo" || !strings.HasPrefix(line, "  ") {
				continue
			}
			commands := app.Commands
			for _, word := range words[1:] {
				c := find(commands, strings.Trim(word, ","))
				if c == nil {
					t.Errorf("%s: there is no command in %q", topic, line)
					break
				}
				if commands = c.Subcommands; len(commands) == 0 {
					break
				}
			}
		}
	}
	stdout.Reset()
	if status := e.run([]string{"boo", "help", "chat", "send"}); status != 0 || !strings.Contains(stdout.String(), "--stdin0") {
		t.Errorf("status %d:\n%s", status, stdout)
	}
	if status := e.run([]string{"boo", "help", "nonsense"}); status != 3 {
		t.Errorf("a topic that is none: status %d", status)
	}
}

func TestTheManualPageHasAllCommands(t *testing.T) {
	e, stdout, _ := testEnv(newFake())
	if status := e.run([]string{"boo", "man"}); status != 0 || !strings.Contains(stdout.String(), "transcript") || strings.Contains(stdout.String(), completeName) {
		t.Errorf("status %d, %d bytes", status, stdout.Len())
	}
}

func TestShellsAreToldWhatFits(t *testing.T) {
	f := newFake()
	f.chats = []orchestrator.ChatSummary{
		{Chat: orchestrator.Chat{ID: "c000000001", Name: "nightly", Title: "update\tthe \x1b[31mdeps"}, RepoRoot: "/"},
		{Chat: orchestrator.Chat{ID: "c7", Title: "another"}},
	}
	f.pending = append(f.pending, change("p000000003", "$(rm -rf x).go", orchestrator.OpCreate, 1, 0), change("p000000004", "grüße.go", orchestrator.OpCreate, 1, 0))
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"rea"}, "reaper"},
		{[]string{"chat", "cr"}, "create"},
		{[]string{"--json", "chat", "tr"}, "transcript"},
		{[]string{"chat", "show", ""}, "nightly c000000001 c7"},
		{[]string{"chat", "show", "n"}, "nightly"},
		{[]string{"chat", "show", "nightly", ""}, ""},
		{[]string{"chat", "send", "-c", "c0"}, "c000000001"},
		{[]string{"chat", "send", "--st"}, "--stdin0"},
		{[]string{"usage", "--by", ""}, "agent chat repo day"},
		{[]string{"pending", "apply", "g"}, "greet.go grüße.go"},
		{[]string{"completion", "z"}, "zsh"},
		{[]string{"help", "p"}, "pending"},
		{[]string{"__"}, ""},
	} {
		e, stdout, _ := testEnv(f)
		if status := e.run(append([]string{"boo", completeName, "--"}, c.words...)); status != 0 {
			t.Errorf("%q: status %d", c.words, status)
		}
		var got []string
		for line := range strings.Lines(stdout.String()) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != c.want || strings.Contains(stdout.String(), "\x1b") {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
}

func TestNothingIsMadeWhereNothingIsYet(t *testing.T) {
	e, stdout, _ := testEnv(nil)
	home := filepath.Join(t.TempDir(), "boo")
	e.Getenv = vars(map[string]string{"BOO_HOME": home})
	if status := e.run([]string{"boo", completeName, "--", "chat", "show", ""}); status != 0 || stdout.Len() > 0 {
		t.Errorf("status %d, %q", status, stdout)
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("the directory: %v", err)
	}
}

func TestBashTakesTheCompletion(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "boo"), []byte("#!/bin/sh\nprintf 'nightly\\ta title\\nc7\\n'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", bashCompletion+`
COMP_WORDS=(boo chat show ""); COMP_CWORD=3; _boo; printf '%s|' "${COMPREPLY[@]}"`)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "nightly|c7|" {
		t.Errorf("%v: %s", err, out)
	}
}
