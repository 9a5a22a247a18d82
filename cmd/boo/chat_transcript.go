package main

import (
	"bufio"
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"boo/orchestrator"
)

type transcriptOptions struct {
	Ref      orchestrator.ChatRef
	Format   string
	Thoughts bool
	Cleared  bool
}

func chatTranscriptCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "transcript",
		Usage:     "print a chat for people to read",
		ArgsUsage: "[CHAT]",
		Description: "Messages are whole and tool calls as they ended. HTML stands alone: it loads nothing,\n" +
			"and what an agent wrote is text in it. As jsonl each passage is a line:\n" +
			"  boo chat transcript > chat.md\n" +
			"  boo chat transcript --format html nightly > nightly.html",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "md", Usage: "md, jsonl or html (`FORMAT`)"},
			toggle("thoughts", "with what the agents thought"),
			clearedFlag(),
		},
		Action: func(c *cli.Context) error {
			ref, err := chatArg(c, e)
			if err != nil {
				return err
			}
			o := transcriptOptions{Ref: ref, Format: c.String("format"), Thoughts: c.Bool("thoughts"), Cleared: c.Bool("cleared")}
			if _, ok := transcriptFormats[o.Format]; !ok && o.Format != "jsonl" {
				return usageError(c, fmt.Errorf("--format is md, jsonl or html, not %q", o.Format), false)
			}
			return runChatTranscript(c.Context, e, o)
		},
	}
}

func runChatTranscript(ctx context.Context, e *env, o transcriptOptions) error {
	past, err := openPast(ctx, e, e.service, o.Ref, o.Cleared)
	if err != nil {
		return err
	}
	pass := func(p passage) error { return e.Stdout.JSON(p) }
	finish := func() error { return nil }
	if o.Format != "jsonl" && !e.JSON {
		format, w := transcriptFormats[o.Format], bufio.NewWriter(e.Stdout.Data())
		format.head(w, past.chat)
		pass = func(p passage) error {
			format.body(w, p)
			return nil
		}
		finish = func() error {
			format.tail(w)
			_ = w.Flush() // the exit status says it
			return nil
		}
	}
	t := newTranscript(past.chat.Worktree.Dir, o.Thoughts, pass)
	if _, err := past.print(ctx, 0, logFilter{}, t.event); err != nil {
		return err
	}
	t.endCalls()
	if t.err != nil {
		return t.err
	}
	return finish()
}
