package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// living are the words that come from what there is: chats, agents, paths. What
// cannot be looked up is not offered, and nothing is made for it.
type living struct {
	e   *env
	ctx context.Context
}

// value lists what a flag may have.
func (l *living) value(flag string, before []string) []candidate {
	switch flag {
	case "chat", "c":
		return l.chats()
	case "agent":
		return l.agents()
	case "turn":
		return l.turns(before)
	}
	var found []candidate
	for _, word := range choices[flag] {
		found = append(found, candidate{word: word})
	}
	return found
}

// argument lists what may stand for a word of a command's usage, after some.
func (l *living) argument(usage string, given int) []candidate {
	has := func(word string) bool { return strings.Contains(usage, word) }
	switch {
	case has("bash"):
		return []candidate{{word: "bash"}, {word: "zsh"}, {word: "fish"}}
	case has("TOPIC"):
		return topicWords()
	case has("PATH"):
		return l.paths()
	case given > 0 && !has("…"):
		return nil
	case has("CHAT"):
		return l.chats()
	case has("AGENT"):
		return l.agents()
	}
	return nil
}

// service opens the store as it is. Nothing is settled: a person is typing.
func (l *living) service() (orchestrator.Service, bool) {
	if l.e.svc != nil {
		return l.e.svc, true
	}
	d, c, err := l.e.settings()
	if err != nil {
		return nil, false
	}
	if _, err := os.Stat(filepath.Join(d.Data, "boo.db")); err != nil {
		return nil, false
	}
	l.e.svc, err = l.e.Open(l.ctx, d, c) // closed at the command's end
	return l.e.svc, err == nil
}

func (l *living) chats() (found []candidate) {
	svc, ok := l.service()
	if !ok {
		return nil
	}
	chats, err := svc.Chats(l.ctx, orchestrator.ChatsRequest{Dir: l.e.Dir, Brief: true})
	if err != nil {
		return nil
	}
	for _, c := range chats {
		if c.Name != "" {
			found = append(found, candidate{string(c.Name), tty.Line(c.Title)})
		}
		found = append(found, candidate{string(c.ID), tty.Line(titleOf(c))})
	}
	return found
}

// turns lists those of the chat that the words before name.
func (l *living) turns(before []string) (found []candidate) {
	svc, ok := l.service()
	if !ok {
		return nil
	}
	ref := orchestrator.ChatRef{Dir: l.e.Dir}
	for i, word := range before {
		if (word == "-c" || word == "--chat") && i+1 < len(before) {
			ref.Prefix = before[i+1]
		}
	}
	d, err := svc.Chat(l.ctx, ref)
	if err != nil {
		return nil
	}
	for _, t := range slices.Backward(d.TurnList) {
		found = append(found, candidate{string(t.ID), tty.Line(orchestrator.Title(t.Prompt))})
	}
	return found
}

func (l *living) agents() (found []candidate) {
	tools, err := l.e.agents()
	if err != nil {
		return nil
	}
	for _, def := range tools.Registry.Definitions() {
		found = append(found, candidate{string(def.Name), tty.Line(def.Title)})
	}
	return found
}

// paths lists those with pending changes, as they are written from here.
func (l *living) paths() (found []candidate) {
	svc, ok := l.service()
	if !ok {
		return nil
	}
	changes, err := svc.Changes(l.ctx, orchestrator.ChangeSelector{Dir: l.e.Dir})
	if err != nil {
		return nil
	}
	root, prefix := "", ""
	if top, err := svc.Chat(l.ctx, orchestrator.ChatRef{Dir: l.e.Dir}); err == nil {
		root = string(top.RepoRoot)
	}
	if rel, err := filepath.Rel(l.e.Dir, root); err == nil {
		prefix = rel
	}
	for _, c := range changes {
		if path := filepath.Join(prefix, string(c.Path)); harmless(path) {
			found = append(found, candidate{path, string(c.Op())})
		}
	}
	return found
}

// harmless reports whether a path means itself to every shell: agents choose
// the names of files, and a shell puts what is completed on the command line as
// it is.
func harmless(path string) bool {
	if path == "" || path[0] == '-' || path[0] == '~' {
		return false
	}
	for _, r := range path {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_./+@,-%", r) {
			return false
		}
	}
	return true
}
