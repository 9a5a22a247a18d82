package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"boo/cmd/boo/internal/foreground"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// prompt is what the person wants to send, and where it is kept in case it
// cannot be sent.
type prompt struct {
	text string
	file string // of the editor; "" if it came another way
}

// What the service takes is far less; this only bounds the memory.
const maxStdin = 64 << 20

// readPrompt gets the prompt from the arguments, from stdin if they are "-", or
// from the person's editor if there are none and somebody is there to type.
func readPrompt(ctx context.Context, e *env, args []string) (prompt, error) {
	switch {
	case len(args) == 1 && args[0] == "-":
		text, err := readAll(e)
		return prompt{text: text}, err
	case len(args) > 0:
		return prompt{text: strings.Join(args, " ")}, nil
	case writesPrompt(e, args):
		return editPrompt(ctx, e)
	}
	return prompt{}, orchestrator.Errorf(orchestrator.CodeInvalid, "there is no prompt; nothing was sent").
		WithHint(`boo chat send "what you want done", or boo chat send - to read it from stdin`)
}

// writesPrompt reports whether the person's editor is opened for the prompt.
func writesPrompt(e *env, args []string) bool { return len(args) == 0 && e.StdinTerminal && !e.JSON }

const scissors = "# ---- boo: nothing from this line on is sent ----"

const editorHelp = "\n\n" + scissors + `
# Write above it what the agent shall do. Lines that begin with "#" are sent
# like all others: a prompt may well be Markdown.
# An empty prompt sends nothing.
`

// editPrompt opens the person's editor on a file of their own.
func editPrompt(ctx context.Context, e *env) (prompt, error) {
	editor := e.Getenv("VISUAL")
	if editor == "" {
		editor = e.Getenv("EDITOR")
	}
	if editor == "" {
		return prompt{}, orchestrator.Errorf(orchestrator.CodeInvalid, "there is no prompt, and neither VISUAL nor EDITOR names an editor to write one in").
			WithHint(`boo chat send "what you want done"`)
	}
	dir, err := os.MkdirTemp("", "boo-prompt-") // 0700
	if err != nil {
		return prompt{}, fmt.Errorf("make a file for the prompt: %w", err)
	}
	p := prompt{file: filepath.Join(dir, "prompt.md")}
	if err := os.WriteFile(p.file, []byte(editorHelp), 0o600); err != nil {
		p.discard()
		return prompt{}, fmt.Errorf("make a file for the prompt: %w", err)
	}
	// The variable may hold arguments and quotes; a shell reads it, as with git.
	err = e.Run(ctx, foreground.Program{
		Args:  []string{"sh", "-c", editor + ` "$@"`, editor, p.file},
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	if err != nil {
		p.discard()
		return prompt{}, orchestrator.Errorf(orchestrator.CodeInvalid, "the editor %q failed, so nothing was sent: %w", editor, err).
			WithHint(`boo chat send "what you want done"`)
	}
	text, err := os.ReadFile(p.file)
	if err != nil {
		return prompt{}, fmt.Errorf("read the prompt: %w", err)
	}
	above, _, _ := strings.Cut(string(text), scissors)
	if p.text = strings.TrimSpace(above); p.text == "" {
		p.discard()
		return prompt{}, orchestrator.Errorf(orchestrator.CodeInvalid, "the prompt is empty; nothing was sent")
	}
	return p, nil
}

// keep says where the editor's file is: the prompt could not be sent.
func (p prompt) keep(e *env) {
	if p.file != "" && !e.JSON {
		e.Stderr.Println(tty.Plain("your prompt is kept in "), tty.Cyan(p.file))
	}
}

// discard removes the editor's file, when the prompt has been sent or is empty.
func (p prompt) discard() {
	if p.file != "" {
		_ = os.RemoveAll(filepath.Dir(p.file)) // what stays is in the system's temporary directory
	}
}
