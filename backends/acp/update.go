package acp

import (
	"encoding/json"
	"strings"

	"boo/orchestrator"
)

// The kinds of session updates, by their discriminator.
const (
	updateUser     = "user_message_chunk"
	updateText     = "agent_message_chunk"
	updateThought  = "agent_thought_chunk"
	updateTool     = "tool_call"
	updateToolMore = "tool_call_update"
	updatePlan     = "plan"
	updateCommands = "available_commands_update"
	updateMode     = "current_mode_update"
	updateUsage    = "usage_update"
	updateInfo     = "session_info_update"
	updateOptions  = "config_option_update"
)

// notification is the envelope of a session update.
type notification struct {
	Session string          `json:"sessionId"`
	Update  json.RawMessage `json:"update"`
}

// updateKind returns the discriminator of an update; "" if it has none.
func updateKind(raw json.RawMessage) string {
	var u struct {
		Kind string `json:"sessionUpdate"`
	}
	if json.Unmarshal(raw, &u) != nil {
		return ""
	}
	return u.Kind
}

// chunk is a piece of a message. It has room for the discriminator, so that
// the most frequent updates by far are decoded once.
type chunk struct {
	Kind      string   `json:"sessionUpdate"`
	Content   *content `json:"content"`
	MessageID string   `json:"messageId"`
	Meta      struct {
		Usage *tokenUsage `json:"usage"`
	} `json:"_meta"`
}

// content is a block of content; only text is looked into.
type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// decodeChunk reads any update; only the kind is set in one that is no chunk
// of text, and ok is false.
func decodeChunk(raw json.RawMessage) (c chunk, ok bool) {
	err := json.Unmarshal(raw, &c) // a field in another form leaves the others readable
	return c, err == nil && c.Content != nil && c.Content.Type == "text"
}

func decodePlan(raw json.RawMessage) ([]orchestrator.PlanEntry, bool) {
	var p struct {
		Entries []orchestrator.PlanEntry `json:"entries"`
	}
	err := json.Unmarshal(raw, &p)
	return p.Entries, err == nil && p.Entries != nil
}

func decodeCommands(raw json.RawMessage) (json.RawMessage, bool) {
	var c struct {
		Commands json.RawMessage `json:"availableCommands"`
	}
	err := json.Unmarshal(raw, &c)
	return c.Commands, err == nil && len(c.Commands) > 0
}

func decodeMode(raw json.RawMessage) (string, bool) {
	var m struct {
		Mode string `json:"currentModeId"`
	}
	err := json.Unmarshal(raw, &m)
	return m.Mode, err == nil && m.Mode != ""
}

func decodeOptions(raw json.RawMessage) ([]option, bool) {
	var o struct {
		Options []json.RawMessage `json:"configOptions"`
	}
	err := json.Unmarshal(raw, &o)
	return options(o.Options), err == nil && o.Options != nil
}

// cutText shortens a tool's output to maxOutput and says so.
func cutText(text string) string {
	if len(text) <= maxOutput {
		return text
	}
	const mark = "\n[cut]"
	return strings.ToValidUTF8(text[:maxOutput-len(mark)], "") + mark
}
