package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"boo/orchestrator"
)

// The topics of "boo help", a file each.
//
//go:embed help/*.txt
var helpTexts embed.FS

func helpTopics() []string {
	entries, err := helpTexts.ReadDir("help")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var topics []string
	for _, entry := range entries {
		topics = append(topics, strings.TrimSuffix(entry.Name(), ".txt"))
	}
	return topics
}

func topicWords() []candidate {
	var found []candidate
	for _, topic := range helpTopics() {
		found = append(found, candidate{word: topic})
	}
	return found
}

func helpCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "explain a topic, or a command",
		ArgsUsage: "[TOPIC | COMMAND…]",
		Description: "The topics are " + strings.Join(helpTopics(), ", ") + ":\n" +
			"  boo help pending\n" +
			"  boo help chat send",
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return cli.ShowAppHelp(c)
			}
			text, err := helpTexts.ReadFile("help/" + c.Args().First() + ".txt")
			if err == nil && c.NArg() == 1 {
				_, err = e.Stdout.Write(text)
				return err
			}
			if find(c.App.Commands, c.Args().First()) == nil {
				return orchestrator.Errorf(orchestrator.CodeNotFound, "there is no topic or command %q; topics are %s", c.Args().First(), strings.Join(helpTopics(), ", ")).
					WithHint("boo --help")
			}
			return newApp(e).RunContext(c.Context, append(append([]string{"boo"}, c.Args().Slice()...), "--help"))
		},
	}
}

func manCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:        "man",
		Usage:       "print boo's manual page",
		Description: "  boo man > ~/.local/share/man/man1/boo.1",
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			page, err := newApp(e).ToManWithSection(1)
			if err != nil {
				return orchestrator.Errorf(orchestrator.CodeInternal, "make the manual page: %w", err)
			}
			_, err = fmt.Fprint(e.Stdout.Data(), page)
			return err
		},
	}
}
