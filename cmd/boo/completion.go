package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"boo/orchestrator"
)

//go:embed completion/boo.bash
var bashCompletion string

//go:embed completion/boo.zsh
var zshCompletion string

//go:embed completion/boo.fish
var fishCompletion string

// completeName is the command that shells ask what a word may become.
const completeName = "__complete"

func completionCommand(e *env) *cli.Command {
	scripts := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	return &cli.Command{
		Name:      "completion",
		Usage:     "print what makes a shell complete boo's commands, chats, agents and paths",
		ArgsUsage: "bash | zsh | fish",
		Description: "  eval \"$(boo completion bash)\"       in ~/.bashrc\n" +
			"  eval \"$(boo completion zsh)\"        in ~/.zshrc, after compinit\n" +
			"  boo completion fish | source         in ~/.config/fish/config.fish",
		Action: func(c *cli.Context) error {
			script, ok := scripts[c.Args().First()]
			if !ok || c.NArg() != 1 {
				return usageError(c, fmt.Errorf("boo completes in bash, zsh and fish"), false)
			}
			_, err := io.WriteString(e.Stdout.Data(), script)
			return err
		},
	}
}

func completeCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:   completeName,
		Hidden: true,
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if len(words) == 0 {
				return nil
			}
			word := words[len(words)-1]
			for _, found := range whatFits(c.App, &living{e: e, ctx: c.Context}, words[:len(words)-1], word) {
				if strings.HasPrefix(found.word, word) {
					fmt.Fprintln(e.Stdout.Data(), strings.TrimSuffix(found.word+"\t"+found.about, "\t"))
				}
			}
			return nil
		},
	}
}

// candidate is a word that may stand where the cursor is.
type candidate struct{ word, about string }

// whatFits lists what may stand after some words; for none the shell offers
// files. What begins as the word does is picked by the caller.
func whatFits(app *cli.App, live *living, before []string, word string) []candidate {
	commands, flags := app.Commands, app.Flags
	usage, given := "", 0
	for rest := before; len(rest) > 0; {
		if n := flagLen(flags, rest); n > 0 {
			if len(rest) == 1 && takesValue(flags, rest[0]) {
				return live.value(strings.TrimLeft(rest[0], "-"), before)
			}
			rest = rest[min(n, len(rest)):]
			continue
		}
		if next := find(commands, rest[0]); next != nil {
			commands, flags, usage = next.Subcommands, next.Flags, next.ArgsUsage
		} else {
			given++
		}
		rest = rest[1:]
	}
	if strings.HasPrefix(word, "-") {
		return flagWords(flags)
	}
	if len(commands) > 0 {
		return commandWords(commands)
	}
	return live.argument(usage, given)
}

func takesValue(flags []cli.Flag, word string) bool {
	name := strings.TrimLeft(word, "-")
	return slices.ContainsFunc(flags, func(f cli.Flag) bool {
		doc, ok := f.(cli.DocGenerationFlag)
		return ok && doc.TakesValue() && slices.Contains(f.Names(), name)
	})
}

func flagWords(flags []cli.Flag) []candidate {
	var found []candidate
	for _, f := range flags {
		about := ""
		if doc, ok := f.(cli.DocGenerationFlag); ok {
			about, _, _ = strings.Cut(strings.ReplaceAll(doc.GetUsage(), "`", ""), "\n")
		}
		for _, name := range f.Names() {
			found = append(found, candidate{dashed(name), about})
		}
	}
	return found
}

// dashed is a flag as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func commandWords(commands []*cli.Command) []candidate {
	var found []candidate
	for _, c := range commands {
		if !c.Hidden {
			found = append(found, candidate{c.Name, c.Usage})
		}
	}
	return found
}

// choices are the values of flags that have only some.
var choices = map[string][]string{
	"by": {"agent", "chat", "repo", "day"}, "format": {"md", "jsonl", "html"}, "base": {"fresh", "dirty", "HEAD"},
	"permissions": {string(orchestrator.PermissionsAsk), string(orchestrator.PermissionsReject), string(orchestrator.PermissionsAuto)},
	"filter":      {"prompts", "text", "thoughts", "tools", "plans", "permissions", "notices", "turns", "other"},
}
