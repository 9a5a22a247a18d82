package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// The OpenAI responses API, as far as agents use it, streamed:
// https://platform.openai.com/docs/api-reference/responses

// responsesRequest is the body of POST /v1/responses.
type responsesRequest struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Input        []responsesItem `json:"input"`
	Tools        []struct {
		Name       string `json:"name"`
		Parameters schema `json:"parameters"`
	} `json:"tools"`
}

type responsesItem struct {
	Type    string `json:"type"`
	Role    string `json:"role"`
	Content blocks `json:"content"`
	Output  blocks `json:"output"`
}

func (q responsesRequest) neutral(size int) request {
	req := request{Model: q.Model, Bytes: size, Messages: []message{{Role: "system", Text: q.Instructions}}}
	for _, item := range q.Input {
		switch {
		case item.Type == "function_call_output":
			req.Messages = append(req.Messages, message{Role: "tool", Text: item.Output.text()})
		case item.Role == "user":
			var texts []string
			for _, b := range item.Content {
				texts = append(texts, b.Text)
			}
			req.Messages = personal(req.Messages, texts)
		case item.Role == "assistant":
			req.Messages = append(req.Messages, message{Role: "assistant", Text: item.Content.text()})
		case item.Role != "":
			req.Messages = append(req.Messages, message{Role: "system", Text: item.Content.text()})
		}
	}
	for _, t := range q.Tools {
		req.Tools = append(req.Tools, tool{Name: t.Name, Properties: t.Parameters.Properties})
	}
	return req
}

func (s *Server) responses(w http.ResponseWriter, r *http.Request) {
	body, ok := s.read(w, r)
	if !ok {
		return
	}
	var q responsesRequest
	if err := json.Unmarshal(body, &q); err != nil {
		chatError(w, http.StatusBadRequest, "the request is not JSON of a response: "+err.Error())
		return
	}
	req := q.neutral(len(body))
	s.serve(r, body, req, &responseStream{events: events{w: w}, id: fmt.Sprintf("resp_%04d", len(req.Messages)), model: req.Model})
}
