package acp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// The methods and codes of the protocol that are used here.
const (
	methodInitialize = "initialize"
	methodNew        = "session/new"
	methodLoad       = "session/load"
	methodResume     = "session/resume"
	methodList       = "session/list"
	methodClose      = "session/close"
	methodDelete     = "session/delete"
	methodPrompt     = "session/prompt"
	methodCancel     = "session/cancel"
	methodSetMode    = "session/set_mode"
	methodSetModel   = "session/set_model"
	methodSetOption  = "session/set_config_option"

	methodUpdate        = "session/update"
	methodPermission    = "session/request_permission"
	methodCancelRequest = "$/cancel_request"

	codeUnknownMethod = -32601
	codeBadParams     = -32602
	codeInternal      = -32603
	codeAuthRequired  = -32000
	codeNotFound      = -32002
	codeCancelled     = -32800
)

// message is one line of the agent's, sorted by what it is.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// kind says what a message is.
type kind int

const (
	kindNoise kind = iota // not a message of the protocol at all
	kindRequest
	kindNotification
	kindResponse
)

// decode reads a line. Bytes that are not UTF-8 are replaced: what is handed
// on has to be text.
func decode(line []byte) (message, kind) {
	var m message
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return m, kindNoise
	}
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return message{}, kindNoise
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method != "" && hasID:
		return m, kindRequest
	case m.Method != "":
		return m, kindNotification
	case m.ID != nil && (m.Result != nil || m.Error != nil):
		return m, kindResponse
	}
	return m, kindNoise
}

// callID returns the number of the call that a response answers; boo numbers
// its calls from 1, so everything else answers nothing.
func (m message) callID() (int64, bool) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	return id, err == nil
}

// frame types: what is sent.
type (
	requestFrame struct {
		Version string `json:"jsonrpc"`
		ID      int64  `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}
	notificationFrame struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}
	resultFrame struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}
	errorFrame struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}
)

// encode makes the line of a frame.
func encode(frame any) ([]byte, error) {
	line, err := json.Marshal(frame)
	if err != nil {
		return nil, err
	}
	return append(line, '\n'), nil
}
