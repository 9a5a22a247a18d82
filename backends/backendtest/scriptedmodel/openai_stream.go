package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chatStream writes an answer as server-sent events.
type chatStream struct {
	w     http.ResponseWriter
	head  chatHead
	usage bool // the client asked for it
	begun bool
	calls int
}

var _ answer = (*chatStream)(nil)

func (c *chatStream) text(s string) error { return c.delta(chatDelta{Content: &s}) }

func (c *chatStream) thought(s string) error { return c.delta(chatDelta{Reasoning: s}) }

func (c *chatStream) call(call toolCall) error {
	c.calls++
	return c.delta(chatDelta{ToolCalls: []chatCall{newChatCall(call, c.calls-1)}})
}

func (c *chatStream) flush() error { return http.NewResponseController(c.w).Flush() }

func (c *chatStream) end(u usage) error {
	last := c.piece()
	last.Choices = []chatChoice{{Delta: &chatDelta{}, Finish: finishReason(c.calls)}}
	if err := c.send(last); err != nil {
		return err
	}
	if c.usage {
		cost := c.piece()
		cost.Choices, cost.Usage = []chatChoice{}, newChatUsage(u)
		if err := c.send(cost); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(c.w, "data: [DONE]\n\n")
	return err
}

// fail answers with a status or, where the answer has begun, with the event
// that takes its place in a stream.
func (c *chatStream) fail(status int, text string) {
	if !c.begun {
		chatError(c.w, status, text)
		return
	}
	data, _ := json.Marshal(errorObject(status, text)) // strings and a number: cannot fail
	_, _ = fmt.Fprintf(c.w, "data: %s\n\n", data)      // an error means that the client is gone
}

func (c *chatStream) piece() chatAnswer {
	head := c.head
	head.Object = "chat.completion.chunk"
	return chatAnswer{chatHead: head}
}

func (c *chatStream) delta(d chatDelta) error {
	if !c.begun {
		c.begun = true
		d.Role = "assistant"
		c.w.Header().Set("Content-Type", "text/event-stream")
		c.w.Header().Set("Cache-Control", "no-cache")
	}
	piece := c.piece()
	piece.Choices = []chatChoice{{Delta: &d}}
	return c.send(piece)
}

func (c *chatStream) send(piece chatAnswer) error {
	data, err := json.Marshal(piece)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.w, "data: %s\n\n", data)
	return err
}
