package scriptedmodel

import "encoding/json"

// messageStream writes a message as server-sent events: each block of it has a
// start, its deltas and a stop.
type messageStream struct {
	events
	head  object
	input int    // tokens of the request
	open  string // type of the block that is open, "" for none
	index int    // of that block, or of the next
	calls int
}

var _ answer = (*messageStream)(nil)

func (m *messageStream) text(s string) error {
	return m.piece("text", object{"type": "text", "text": ""}, object{"type": "text_delta", "text": s})
}

func (m *messageStream) thought(s string) error {
	return m.piece("thinking", object{"type": "thinking", "thinking": "", "signature": ""}, object{"type": "thinking_delta", "thinking": s})
}

func (m *messageStream) call(c toolCall) error {
	m.calls++
	start := object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage("{}")}
	return m.piece("tool_use", start, object{"type": "input_json_delta", "partial_json": c.Args})
}

func (m *messageStream) end(u usage) error {
	if err := m.close(); err != nil {
		return err
	}
	err := m.send("message_delta", object{
		"type":  "message_delta",
		"delta": object{"stop_reason": messageStop(m.calls), "stop_sequence": nil},
		"usage": object{"output_tokens": u.Output},
	})
	if err != nil {
		return err
	}
	return m.send("message_stop", object{"type": "message_stop"})
}

func (m *messageStream) fail(status int, text string) {
	if !m.begun {
		messagesError(m.w, status, text)
		return
	}
	_ = m.send("error", messagesErrorObject(text)) // an error means that the client is gone
}

// piece adds to the open block of a kind, or opens one.
func (m *messageStream) piece(kind string, start, delta object) error {
	if err := m.begin(); err != nil {
		return err
	}
	if m.open != kind || kind == "tool_use" {
		if err := m.close(); err != nil {
			return err
		}
		m.open = kind
		if err := m.send("content_block_start", object{"type": "content_block_start", "index": m.index, "content_block": start}); err != nil {
			return err
		}
	}
	return m.send("content_block_delta", object{"type": "content_block_delta", "index": m.index, "delta": delta})
}

func (m *messageStream) begin() error {
	if m.begun {
		return nil
	}
	m.head["content"] = []object{}
	m.head["usage"] = object{"input_tokens": m.input, "output_tokens": 1}
	return m.send("message_start", object{"type": "message_start", "message": m.head})
}

// close ends the open block.
func (m *messageStream) close() error {
	if err := m.begin(); err != nil || m.open == "" {
		return err
	}
	if m.open == "thinking" {
		signature := object{"type": "signature_delta", "signature": "scripted"}
		if err := m.send("content_block_delta", object{"type": "content_block_delta", "index": m.index, "delta": signature}); err != nil {
			return err
		}
	}
	m.open = ""
	m.index++
	return m.send("content_block_stop", object{"type": "content_block_stop", "index": m.index - 1})
}
