package scriptedmodel

import (
	"encoding/json"
	"net/http"
	"strings"
)

// The OpenAI chat completions API, as far as agents use it:
// https://platform.openai.com/docs/api-reference/chat

// chatRequest is the body of POST /v1/chat/completions.
type chatRequest struct {
	Model         string        `json:"model"`
	Stream        bool          `json:"stream"`
	Messages      []chatMessage `json:"messages"`
	Tools         []chatTool    `json:"tools"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type chatMessage struct {
	Role    string      `json:"role"`
	Content chatContent `json:"content"`
}

type chatTool struct {
	Function struct {
		Name       string `json:"name"`
		Parameters struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"parameters"`
	} `json:"function"`
}

// chatContent is a text, or a list of parts of which only texts count, or null.
type chatContent string

func (c *chatContent) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '[' {
		return json.Unmarshal(data, (*string)(c))
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var texts []string
	for _, part := range parts {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	*c = chatContent(strings.Join(texts, "\n"))
	return nil
}

func (c chatRequest) neutral(size int) request {
	req := request{Model: c.Model, Bytes: size}
	for _, m := range c.Messages {
		req.Messages = append(req.Messages, message{Role: m.Role, Text: string(m.Content)})
	}
	for _, t := range c.Tools {
		req.Tools = append(req.Tools, tool{Name: t.Function.Name, Properties: t.Function.Parameters.Properties})
	}
	return req
}

func (s *Server) chatCompletions(w http.ResponseWriter, r *http.Request) {
	body, ok := s.read(w, r)
	if !ok {
		return
	}
	var c chatRequest
	if err := json.Unmarshal(body, &c); err != nil {
		chatError(w, http.StatusBadRequest, "the request is not JSON of a chat completion: "+err.Error())
		return
	}
	req := c.neutral(len(body))
	head := newChatHead(req)
	if c.Stream {
		s.serve(r, body, req, &chatStream{w: w, head: head, usage: c.StreamOptions.IncludeUsage})
		return
	}
	s.serve(r, body, req, &chatWhole{w: w, head: head})
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list",
		"data":   []map[string]any{{"id": Model, "object": "model", "created": 1, "owned_by": "boo"}},
	})
}

// Model is the name of the model that the server lists. A request for any
// other is answered all the same.
const Model = "scripted-model"

func chatError(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, errorObject(status, text))
}

func errorObject(status int, text string) map[string]any {
	return map[string]any{
		"error": map[string]any{"message": text, "type": "scripted_error", "code": status},
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error means that the client is gone
}
