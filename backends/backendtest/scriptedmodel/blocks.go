package scriptedmodel

import (
	"encoding/json"
	"strings"
)

// block is a piece of a message in any of the forms that APIs give it.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"` // of a tool's result: a text or blocks
}

// blocks is a list of blocks, or a text, which is one block.
type blocks []block

func (b *blocks) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var text string
		err := json.Unmarshal(data, &text)
		*b = blocks{{Type: "text", Text: text}}
		return err
	}
	return json.Unmarshal(data, (*[]block)(b))
}

// text joins the texts of all blocks.
func (b blocks) text() string {
	var texts []string
	for _, one := range b {
		if one.Text != "" {
			texts = append(texts, one.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// personal appends what the person said in one message. Agents join what they
// were told in successive prompts, one of them cut off maybe, into one message
// of several texts: each is a prompt of its own, but for context in fences,
// which belongs to the prompt behind it, or else to the one before.
func personal(to []message, texts []string) []message {
	context := ""
	for _, text := range texts {
		if strings.TrimSpace(unfenced(text)) == "" {
			context += text + "\n"
			continue
		}
		to = append(to, message{Role: "user", Text: context + text})
		context = ""
	}
	switch last := len(to) - 1; {
	case context == "":
	case last >= 0 && to[last].Role == "user":
		to[last].Text += "\n" + context
	case last < 0:
		to = append(to, message{Role: "user", Text: context})
	}
	return to
}
