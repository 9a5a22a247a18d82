package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// The Anthropic messages API, as far as agents use it:
// https://docs.anthropic.com/en/api/messages

// messagesRequest is the body of POST /v1/messages.
type messagesRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	System   blocks `json:"system"`
	Messages []struct {
		Role    string `json:"role"`
		Content blocks `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name   string `json:"name"`
		Schema schema `json:"input_schema"`
	} `json:"tools"`
}

func (m messagesRequest) neutral(size int) request {
	req := request{Model: m.Model, Bytes: size}
	if system := m.System.text(); system != "" {
		req.Messages = append(req.Messages, message{Role: "system", Text: system})
	}
	for _, one := range m.Messages {
		var texts []string
		for _, b := range one.Content {
			switch {
			case b.Type == "tool_result":
				var content blocks
				_ = json.Unmarshal(b.Content, &content) // a result in another form is an empty one
				req.Messages = append(req.Messages, message{Role: "tool", Text: content.text()})
			case b.Type == "text":
				texts = append(texts, b.Text)
			}
		}
		if one.Role == "user" {
			req.Messages = personal(req.Messages, texts)
			continue
		}
		req.Messages = append(req.Messages, message{Role: one.Role, Text: one.Content.text()})
	}
	for _, t := range m.Tools {
		req.Tools = append(req.Tools, tool{Name: t.Name, Properties: t.Schema.Properties})
	}
	return req
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	body, ok := s.read(w, r)
	if !ok {
		return
	}
	var m messagesRequest
	if err := json.Unmarshal(body, &m); err != nil {
		messagesError(w, http.StatusBadRequest, "the request is not JSON of a message: "+err.Error())
		return
	}
	req := m.neutral(len(body))
	head := object{
		"id": fmt.Sprintf("msg_%04d", len(req.Messages)), "type": "message", "role": "assistant", "model": req.Model,
		"stop_reason": nil, "stop_sequence": nil,
	}
	if m.Stream {
		s.serve(r, body, req, &messageStream{events: events{w: w}, head: head, input: req.tokens()})
		return
	}
	s.serve(r, body, req, &whole{
		finish: func(a *whole, u usage) { wholeMessage(w, head, a, u) },
		refuse: func(status int, text string) { messagesError(w, status, text) },
	})
}

func wholeMessage(w http.ResponseWriter, head object, a *whole, u usage) {
	content := []object{}
	if a.said.Len() > 0 {
		content = append(content, object{"type": "text", "text": a.said.String()})
	}
	for _, c := range a.calls {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Args)})
	}
	head["content"], head["stop_reason"] = content, messageStop(len(a.calls))
	head["usage"] = object{"input_tokens": u.Input, "output_tokens": u.Output}
	writeJSON(w, http.StatusOK, head)
}

func (s *Server) countTokens(w http.ResponseWriter, r *http.Request) {
	if body, ok := s.read(w, r); ok {
		writeJSON(w, http.StatusOK, object{"input_tokens": len(body)/4 + 1})
	}
}

func messageStop(calls int) string {
	if calls > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func messagesError(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, messagesErrorObject(text))
}

func messagesErrorObject(text string) object {
	return object{"type": "error", "error": object{"type": "scripted_error", "message": text}}
}
