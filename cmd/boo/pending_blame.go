package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func pendingBlameCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "blame",
		Usage:     "say who wrote each line of a file: which agent, in which turn, at which prompt",
		ArgsUsage: "PATH | ID",
		Description: "The lines are those of the chat's newest snapshot. \"you\" wrote what you changed in the\n" +
			"chat's worktree between the turns, \"base\" is what was there before the chat.",
		Flags: []cli.Flag{chatFlag()},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usageError(c, fmt.Errorf("%s takes one file", strings.Join(path(c), " ")), false)
			}
			return runPendingBlame(c.Context, e, orchestrator.ChatRef{Dir: e.Dir, Prefix: c.String("chat")}, c.Args().First())
		},
	}
}

// blamedLineView is one line as --json prints it.
type blamedLineView struct {
	Path   orchestrator.Path      `json:"path"`
	Line   int                    `json:"line"`
	Agent  orchestrator.AgentName `json:"agent,omitempty"` // none for lines of the base
	Turn   orchestrator.TurnID    `json:"turn,omitempty"`
	Number int64                  `json:"turn_number,omitempty"`
	Prompt string                 `json:"prompt,omitempty"`
	Commit orchestrator.ObjectID  `json:"commit"`
	Text   string                 `json:"text"`
}

func runPendingBlame(ctx context.Context, e *env, ref orchestrator.ChatRef, file string) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	blamed, err := svc.Blame(ctx, ref, file)
	if err != nil {
		return err
	}
	if e.JSON {
		return blameViews(e, blamed)
	}
	return e.paged(ctx, func(out *tty.Output) error {
		showBlame(out, blamed)
		return nil
	})
}

func blameViews(e *env, blamed orchestrator.BlamedFile) error {
	number := 0
	for _, part := range blamed.Parts {
		for _, text := range part.Lines {
			number++
			if err := e.Stdout.JSON(blamedLineView{
				Path: blamed.Path, Line: number, Agent: part.Agent, Turn: part.Turn.ID, Number: part.Turn.Number,
				Prompt: part.Turn.Prompt, Commit: part.Commit, Text: text,
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

const promptColumn = 28

// showBlame lines everything up without holding the file a second time.
func showBlame(out *tty.Output, blamed orchestrator.BlamedFile) {
	total, widths := 0, [3]int{}
	for _, part := range blamed.Parts {
		total += len(part.Lines)
		for i, cell := range blameCells(part) {
			widths[i] = max(widths[i], tty.Width(cell))
		}
	}
	digits, number := len(fmt.Sprint(total)), 0
	for _, part := range blamed.Parts {
		cells := blameCells(part)
		for i := range cells {
			cells[i] = tty.Pad(cells[i], widths[i])
		}
		for i, text := range part.Lines {
			number++
			who := []tty.Span{blameColour(part, cells[0]), tty.Plain("  " + cells[1] + "  "), tty.Dim(cells[2])}
			if i > 0 {
				who = []tty.Span{tty.Dim(strings.Join(cells[:], "  "))}
			}
			shown := strings.ReplaceAll(strings.TrimSuffix(text, "\r"), "\t", "    ")
			out.Println(append(who, tty.Dim(fmt.Sprintf("  %*d  ", digits, number)), tty.Plain(shown))...)
			if out.Err() != nil {
				return
			}
		}
	}
}

// blameCells are who, in which turn, and what was asked then.
func blameCells(part orchestrator.BlamedPart) [3]string {
	who := string(part.Agent)
	if who == "" {
		who = "base"
	}
	turn, prompt := "", ""
	if part.Turn.ID != "" {
		turn = fmt.Sprintf("turn %d", part.Turn.Number)
		prompt, _, _ = strings.Cut(strings.TrimSpace(part.Turn.Prompt), "\n")
	}
	if part.Agent == orchestrator.Person {
		prompt = ""
		if turn != "" {
			turn = "before " + strings.TrimPrefix(turn, "turn ")
		}
	}
	return [3]string{tty.Line(who), turn, tty.Cut(tty.Line(prompt), promptColumn)}
}

func blameColour(part orchestrator.BlamedPart, who string) tty.Span {
	switch part.Agent {
	case "":
		return tty.Dim(who)
	case orchestrator.Person:
		return tty.Green(who)
	}
	return tty.Cyan(who)
}
