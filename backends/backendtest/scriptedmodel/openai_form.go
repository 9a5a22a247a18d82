package scriptedmodel

import (
	"fmt"
	"time"
)

// chatHead is what every piece of an answer begins with.
type chatHead struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Model   string `json:"model"`
}

func newChatHead(req request) chatHead {
	return chatHead{ID: fmt.Sprintf("chatcmpl-%d", len(req.Messages)), Created: time.Now().Unix(), Model: req.Model}
}

type chatAnswer struct {
	chatHead
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitempty"`
}

type chatChoice struct {
	Index   int        `json:"index"`
	Delta   *chatDelta `json:"delta,omitempty"`
	Message *chatDelta `json:"message,omitempty"`
	Finish  *string    `json:"finish_reason"`
}

type chatDelta struct {
	Role      string     `json:"role,omitempty"`
	Content   *string    `json:"content,omitempty"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
}

type chatCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func newChatUsage(u usage) *chatUsage {
	return &chatUsage{Prompt: u.Input, Completion: u.Output, Total: u.Input + u.Output}
}

func newChatCall(c toolCall, index int) chatCall {
	call := chatCall{Index: index, ID: c.ID, Type: "function"}
	call.Function.Name, call.Function.Arguments = c.Name, c.Args
	return call
}

func finishReason(calls int) *string {
	reason := "stop"
	if calls > 0 {
		reason = "tool_calls"
	}
	return &reason
}
