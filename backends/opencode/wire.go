package opencode

import (
	"cmp"
	"encoding/json"
)

// What the server says, as far as it decides something.

const (
	statusIdle  = "idle"
	statusRetry = "retry"

	roleUser      = "user"
	roleAssistant = "assistant"

	errorAborted = "MessageAbortedError"
	errorLength  = "MessageOutputLengthError"

	finishTools = "tool-calls"
)

// sessionInfo is a session as the server lists it.
type sessionInfo struct {
	ID        string `json:"id"`
	Parent    string `json:"parentID"`
	Directory string `json:"directory"`
}

// messageInfo is the head of a message.
type messageInfo struct {
	ID      string   `json:"id"`
	Session string   `json:"sessionID"`
	Role    string   `json:"role"`
	Parent  string   `json:"parentID"` // of an answer: the prompt
	Finish  string   `json:"finish"`
	Error   *failure `json:"error"`
	Time    struct {
		Completed float64 `json:"completed"`
	} `json:"time"`
}

// over reports whether nothing more is added to an answer.
func (m messageInfo) over() bool { return m.Error != nil || m.Time.Completed != 0 }

// aborted reports whether an answer that is over was given up, be it between
// two tries.
func (m messageInfo) aborted() bool {
	if m.Error != nil {
		return m.Error.Name == errorAborted
	}
	return m.over() && m.Finish == ""
}

// message is a message with all its parts.
type message struct {
	Info  messageInfo `json:"info"`
	Parts []part      `json:"parts"`
}

// part is a piece of a message.
type part struct {
	ID        string     `json:"id"`
	Message   string     `json:"messageID"`
	Session   string     `json:"sessionID"`
	Type      string     `json:"type"` // text, reasoning, tool, step-start, step-finish, patch, …
	Text      string     `json:"text"`
	Synthetic bool       `json:"synthetic"`
	Ignored   bool       `json:"ignored"`
	Tool      string     `json:"tool"`
	CallID    string     `json:"callID"`
	State     *toolState `json:"state"`
	Time      struct {
		End float64 `json:"end"`
	} `json:"time"`
	Tokens *tokens `json:"tokens"`
	Cost   float64 `json:"cost"`
}

// toolState is how a tool call stands.
type toolState struct {
	Status   string          `json:"status"` // pending, running, completed, error
	Input    json.RawMessage `json:"input"`
	Title    string          `json:"title"`
	Output   string          `json:"output"`
	Error    string          `json:"error"`
	Metadata struct {
		Output   string `json:"output"`
		Filepath string `json:"filepath"`
		Exists   *bool  `json:"exists"`
	} `json:"metadata"`
}

type tokens struct {
	Input     int64 `json:"input"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning"`
	Cache     struct {
		Read  int64 `json:"read"`
		Write int64 `json:"write"`
	} `json:"cache"`
}

// status is what a session is at.
type status struct {
	Type    string  `json:"type"` // idle, busy, retry
	Attempt int     `json:"attempt"`
	Message string  `json:"message"`
	Next    float64 `json:"next"` // milliseconds after the epoch
}

// failure is an error object of the server's.
type failure struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Data    struct {
		Message string `json:"message"`
	} `json:"data"`
}

func (f failure) text() string { return cmp.Or(f.Data.Message, f.Message, f.Name) }

// request is something that the agent wants to be allowed.
type request struct {
	ID         string          `json:"id"`
	Permission string          `json:"permission"` // edit, bash, external_directory, …
	Patterns   []string        `json:"patterns"`
	Always     []string        `json:"always"`
	Metadata   json.RawMessage `json:"metadata"`
	Tool       struct {
		Call string `json:"callID"`
	} `json:"tool"`
}

// prompt is the body of a prompt.
type prompt struct {
	ID    string      `json:"messageID"`
	Model *modelName  `json:"model,omitempty"`
	Agent string      `json:"agent,omitempty"`
	Parts []textInput `json:"parts"`
}

type modelName struct {
	Provider string `json:"providerID"`
	Model    string `json:"modelID"`
}

type textInput struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Text string `json:"text"`
}

// todo is an entry of the agent's list.
type todo struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}
