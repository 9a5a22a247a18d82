package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// A command or a title that is longer is cut: the line is to be taken in at a
// glance, and the log has all of it.
const maxSubject = 160

// describe is a tool call in a few words: "edit greet.go", "run go test ./...".
func (v *turnView) describe(t orchestrator.ToolCall) string {
	verb := t.Kind
	switch t.Kind {
	case "execute":
		verb = "run"
		if command := inputField(t.Input, "command", "cmd", "script"); command != "" {
			return "run " + subject(command)
		}
	case "other", "think":
		verb = ""
	}
	files := v.files(t)
	switch {
	case verb == "" && t.Title != "":
		return subject(t.Title)
	case len(files) > 1:
		return fmt.Sprintf("%s %s and %d more", verb, subject(files[0]), len(files)-1)
	case len(files) == 1 && verb != "":
		return verb + " " + subject(files[0])
	case len(files) == 1:
		return "use " + subject(files[0])
	case t.Title == "" && verb == "":
		return "tool call"
	case strings.HasPrefix(strings.ToLower(t.Title), verb):
		return subject(t.Title)
	}
	return strings.TrimSpace(verb + " " + subject(t.Title))
}

// files lists what a call is about, once each, the way a person in the worktree
// would name it.
func (v *turnView) files(t orchestrator.ToolCall) []string {
	var names []string
	seen := map[string]bool{}
	add := func(path string) {
		if rel, err := filepath.Rel(string(v.worktree), path); v.worktree != "" && err == nil && filepath.IsLocal(rel) {
			path = rel
		}
		if !seen[path] {
			seen[path] = true
			names = append(names, path)
		}
	}
	for _, d := range t.Diffs {
		add(d.Path)
	}
	for _, path := range t.Locations {
		add(path)
	}
	return names
}

func inputField(input json.RawMessage, names ...string) string {
	var fields map[string]any
	if json.Unmarshal(input, &fields) != nil {
		return ""
	}
	for _, name := range names {
		if text, ok := fields[name].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

func subject(s string) string { return tty.Cut(strings.TrimSpace(tty.Line(s)), maxSubject) }
