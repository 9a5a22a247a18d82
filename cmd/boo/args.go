package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// permute moves the flags of a command in front of its arguments, so that
// "boo chat send PROMPT --agent A" means what it says: the parser stops at the
// first argument. What follows "--" stays.
func permute(app *cli.App, args []string) []string {
	if len(args) == 0 {
		return args
	}
	out := []string{args[0]}
	rest := args[1:]
	commands, flags := app.Commands, app.Flags
	for len(rest) > 0 {
		if n := flagLen(flags, rest); n > len(rest) {
			return append(out, rest...) // the parser will ask for the value
		} else if n > 0 {
			out, rest = append(out, rest[:n]...), rest[n:]
			continue
		}
		command := find(commands, rest[0])
		if command == nil {
			break
		}
		out, rest = append(out, rest[0]), rest[1:]
		commands, flags = command.Subcommands, command.Flags
	}
	if len(commands) > 0 { // no command: the parser will say so
		return append(out, rest...)
	}
	var plain []string
	for len(rest) > 0 {
		if rest[0] == "--" {
			plain, rest = append(plain, rest[1:]...), nil
			break
		}
		if n := flagLen(flags, rest); n > len(rest) {
			return append(out, rest...)
		} else if n > 0 {
			out, rest = append(out, rest[:n]...), rest[n:]
			continue
		}
		plain, rest = append(plain, rest[0]), rest[1:]
	}
	if len(plain) > 0 {
		out = append(append(out, "--"), plain...)
	}
	return out
}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// flagLen returns how many arguments the flag at the head of args takes, itself
// included, also of a value that is missing; 0 if it is no flag. A flag that nobody knows counts as one, for the
// parser to complain of.
func flagLen(flags []cli.Flag, args []string) int {
	if len(args[0]) < 2 || args[0][0] != '-' || args[0] == "--" {
		return 0
	}
	name := strings.TrimLeft(args[0], "-")
	if strings.ContainsRune(name, '=') {
		return 1
	}
	for _, f := range flags {
		for _, known := range f.Names() {
			if known != name {
				continue
			}
			if doc, ok := f.(cli.DocGenerationFlag); ok && doc.TakesValue() {
				return 2
			}
			return 1
		}
	}
	return 1
}
