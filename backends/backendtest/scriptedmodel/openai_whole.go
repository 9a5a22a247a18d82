package scriptedmodel

import (
	"net/http"
	"strings"
)

// chatWhole collects an answer and writes it at its end.
type chatWhole struct {
	w         http.ResponseWriter
	head      chatHead
	said      strings.Builder
	reasoning strings.Builder
	calls     []chatCall
}

var _ answer = (*chatWhole)(nil)

func (c *chatWhole) text(s string) error {
	c.said.WriteString(s)
	return nil
}

func (c *chatWhole) thought(s string) error {
	c.reasoning.WriteString(s)
	return nil
}

func (c *chatWhole) call(call toolCall) error {
	c.calls = append(c.calls, newChatCall(call, len(c.calls)))
	return nil
}

func (c *chatWhole) flush() error { return nil }

func (c *chatWhole) end(u usage) error {
	said := c.said.String()
	head := c.head
	head.Object = "chat.completion"
	writeJSON(c.w, http.StatusOK, chatAnswer{
		chatHead: head,
		Choices: []chatChoice{{
			Message: &chatDelta{Role: "assistant", Content: &said, Reasoning: c.reasoning.String(), ToolCalls: c.calls},
			Finish:  finishReason(len(c.calls)),
		}},
		Usage: newChatUsage(u),
	})
	return nil
}

func (c *chatWhole) fail(status int, text string) { chatError(c.w, status, text) }
