package acp

import (
	"encoding/json"
	"strings"
)

// maxErrorText bounds what an error repeats of the agent's words.
const maxErrorText = 2 << 10

// rpcError is an agent's refusal.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error returns the agent's message, and what its data adds to it.
func (e *rpcError) Error() string {
	text, detail := strings.TrimSpace(e.Message), e.detail()
	switch {
	case detail == "" || strings.Contains(text, detail):
	case text == "" || text == "Internal error" || strings.Contains(detail, text):
		text = detail
	default:
		text += ": " + detail
	}
	if text == "" {
		text = "an error without a message"
	}
	return cut(text, maxErrorText)
}

// errorData is the form that agents give the data of an error.
type errorData struct {
	Kind    string `json:"kind"`
	Details any    `json:"details"`
	Message string `json:"message"`
	Error   string `json:"error"`
}

func (e *rpcError) data() errorData {
	var d errorData
	_ = json.Unmarshal(e.Data, &d) // free-form: another form just says nothing
	return d
}

// detail returns what the data says, in words.
func (e *rpcError) detail() string {
	var text string
	if json.Unmarshal(e.Data, &text) == nil {
		return strings.TrimSpace(text)
	}
	d := e.data()
	if details, ok := d.Details.(string); ok && details != "" {
		return details
	}
	if d.Message != "" {
		return d.Message
	}
	return d.Error
}

// unknownSession reports whether the error says that the agent does not know
// the session, and nothing else: only this leads to a new one. The forms:
// -32002 (the protocol's own), data.kind, opencode's NotFoundError, and
// goose's before it used -32002.
func (e *rpcError) unknownSession() bool {
	d := e.data()
	details, _ := d.Details.(string)
	switch {
	case e.Code == codeNotFound, d.Kind == "unknown_session":
		return true
	case e.Code == codeInternal:
		return details == "NotFoundError"
	case e.Code == codeBadParams:
		return strings.HasPrefix(e.Message, "Failed to load session") || strings.HasPrefix(e.detail(), "Failed to load session")
	}
	return false
}

// cut shortens text to at most n bytes, between characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.Clone(strings.ToValidUTF8(text[:n], "")) // who keeps it does not keep the rest
}
