package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// The Gemini API's generateContent, as far as agents use it:
// https://ai.google.dev/api/generate-content

// contentRequest is the body of POST /v1beta/models/MODEL:generateContent.
type contentRequest struct {
	System struct {
		Parts []contentPart `json:"parts"`
	} `json:"systemInstruction"`
	Contents []struct {
		Role  string        `json:"role"`
		Parts []contentPart `json:"parts"`
	} `json:"contents"`
	Tools []struct {
		Functions []struct {
			Name       string `json:"name"`
			Parameters schema `json:"parameters"`
			JSONSchema schema `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
}

type contentPart struct {
	Text   string `json:"text"`
	Result *struct {
		Response struct {
			Output string `json:"output"`
			Error  string `json:"error"`
		} `json:"response"`
	} `json:"functionResponse"`
}

func (c contentRequest) neutral(model string, size int) request {
	req := request{Model: model, Bytes: size}
	for _, part := range c.System.Parts {
		req.Messages = append(req.Messages, message{Role: "system", Text: part.Text})
	}
	for _, one := range c.Contents {
		var texts []string
		for _, part := range one.Parts {
			switch {
			case part.Result != nil:
				req.Messages = append(req.Messages, message{Role: "tool", Text: part.Result.Response.Output + part.Result.Response.Error})
			case part.Text != "":
				texts = append(texts, part.Text)
			}
		}
		if one.Role == "model" {
			req.Messages = append(req.Messages, message{Role: "assistant", Text: strings.Join(texts, "\n")})
			continue
		}
		req.Messages = personal(req.Messages, texts)
	}
	for _, t := range c.Tools {
		for _, f := range t.Functions {
			properties := f.Parameters.Properties
			if properties == nil {
				properties = f.JSONSchema.Properties
			}
			req.Tools = append(req.Tools, tool{Name: f.Name, Properties: properties})
		}
	}
	return req
}

// content answers POST /v1beta/models/MODEL:METHOD.
func (s *Server) content(w http.ResponseWriter, r *http.Request) {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	body, ok := s.read(w, r)
	if !ok {
		return
	}
	var c contentRequest
	if err := json.Unmarshal(body, &c); err != nil {
		contentError(w, http.StatusBadRequest, "the request is not JSON of contents: "+err.Error())
		return
	}
	req := c.neutral(model, len(body))
	switch method {
	case "streamGenerateContent":
		s.serve(r, body, req, &contentStream{events: events{w: w}, model: model})
	case "generateContent":
		s.serve(r, body, req, &whole{
			finish: func(a *whole, u usage) { wholeContent(w, model, a, u) },
			refuse: func(status int, text string) { contentError(w, status, text) },
		})
	case "countTokens":
		writeJSON(w, http.StatusOK, object{"totalTokens": req.tokens()})
	default:
		contentError(w, http.StatusNotFound, fmt.Sprintf("there is no method %q", method))
	}
}

func wholeContent(w http.ResponseWriter, model string, a *whole, u usage) {
	parts := []object{}
	if a.said.Len() > 0 {
		parts = append(parts, object{"text": a.said.String()})
	}
	for _, c := range a.calls {
		parts = append(parts, functionCall(c))
	}
	last := contentPiece(model, parts)
	last.finish(u)
	writeJSON(w, http.StatusOK, last)
}

func contentError(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, contentErrorObject(status, text))
}

func contentErrorObject(status int, text string) object {
	return object{"error": object{"code": status, "message": text, "status": http.StatusText(status)}}
}
