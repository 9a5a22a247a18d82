package scriptedmodel

import "encoding/json"

// contentStream writes an answer as server-sent events, each of the same form
// as a whole answer.
type contentStream struct {
	events
	model string
}

var _ answer = (*contentStream)(nil)

func (c *contentStream) text(s string) error { return c.part(object{"text": s}) }

func (c *contentStream) thought(s string) error {
	return c.part(object{"text": "**Thinking** " + s, "thought": true})
}

func (c *contentStream) call(call toolCall) error { return c.part(functionCall(call)) }

func (c *contentStream) end(u usage) error {
	last := contentPiece(c.model, []object{{"text": ""}})
	last.finish(u)
	return c.send("", last)
}

func (c *contentStream) fail(status int, text string) {
	if !c.begun {
		contentError(c.w, status, text)
		return
	}
	_ = c.send("", contentErrorObject(status, text)) // an error means that the client is gone
}

func (c *contentStream) part(part object) error {
	return c.send("", contentPiece(c.model, []object{part}))
}

func functionCall(c toolCall) object {
	return object{"functionCall": object{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.Args)}}
}

// contentAnswer is a piece of an answer, or all of it.
type contentAnswer struct {
	Candidates []contentCandidate `json:"candidates"`
	Model      string             `json:"modelVersion"`
	Usage      object             `json:"usageMetadata,omitempty"`
}

type contentCandidate struct {
	Content object `json:"content"`
	Index   int    `json:"index"`
	Finish  string `json:"finishReason,omitempty"`
}

func contentPiece(model string, parts []object) *contentAnswer {
	return &contentAnswer{Model: model, Candidates: []contentCandidate{{Content: object{"role": "model", "parts": parts}}}}
}

// finish makes a piece the last one.
func (c *contentAnswer) finish(u usage) {
	c.Candidates[0].Finish = "STOP"
	c.Usage = object{"promptTokenCount": u.Input, "candidatesTokenCount": u.Output, "totalTokenCount": u.Input + u.Output}
}
