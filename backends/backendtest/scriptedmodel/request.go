package scriptedmodel

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// request is what a model is asked, freed of the form that an API gives it.
type request struct {
	Model    string
	Messages []message
	Tools    []tool
	Bytes    int // length of the request's body
}

// message is one message of the conversation so far.
type message struct {
	Role string // system, user, assistant, tool
	Text string
}

// tool is one tool that the request offers.
type tool struct {
	Name       string
	Properties map[string]json.RawMessage // of its arguments, each with its schema
}

// schema is the JSON schema of a tool's arguments, as far as it matters.
type schema struct {
	Properties map[string]json.RawMessage `json:"properties"`
}

// tokens estimates what the request costs, at four bytes per token.
func (r request) tokens() int { return r.Bytes/4 + 1 }

// prompt returns the text of the newest message of the person, and how many
// results of tools have come since.
func (r request) prompt() (text string, results int) {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		switch r.Messages[i].Role {
		case "user":
			return r.Messages[i].Text, results
		case "tool":
			results++
		}
	}
	return "", results
}

var rememberWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bremember ([^\s;]+)`)
})

// Remembered returns the word that the newest prompt with "remember WORD" in
// it asks to remember, "" if there is none. Context that came along with a
// prompt counts: a history told by another is a way to know.
func Remembered(prompts []string) string {
	for _, prompt := range slices.Backward(prompts) {
		if found := rememberWord().FindAllStringSubmatch(prompt, -1); found != nil {
			return found[len(found)-1][1]
		}
	}
	return ""
}

// prompts returns the texts of the person's messages.
func (r request) prompts() []string {
	var texts []string
	for _, m := range r.Messages {
		if m.Role == "user" {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// result returns what the newest tool of this turn returned.
func (r request) result() string {
	for i := len(r.Messages) - 1; i >= 0 && r.Messages[i].Role != "user"; i-- {
		if r.Messages[i].Role == "tool" {
			return strings.TrimSpace(r.Messages[i].Text)
		}
	}
	return "no tool has run"
}
