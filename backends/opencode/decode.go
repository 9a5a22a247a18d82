package opencode

import "encoding/json"

// update is one event of the stream that is understood. kind says which of the
// other fields are set.
type update struct {
	kind    kind
	session string
	parent  string // of a session that has begun
	info    messageInfo
	part    part
	delta   delta
	status  status
	failure *failure
	todos   []todo
	request request
	id      string // of a request that was answered, or a question
}

type kind int

const (
	kindSession  kind = iota + 1 // a session was made
	kindMessage                  // a message's head
	kindPart                     // a part as it stands
	kindDelta                    // text was added to a part
	kindStatus                   // what the session is at
	kindIdle                     // the session has nothing to do
	kindError                    // something failed in the session
	kindTodos                    // the plan as it stands
	kindAsked                    // a permission is wanted
	kindReplied                  // and was answered
	kindQuestion                 // the agent asks the person something
)

// delta is text added to a part.
type delta struct {
	Message string `json:"messageID"`
	Part    string `json:"partID"`
	Field   string `json:"field"`
	Delta   string `json:"delta"`
}

// decoders has for each type of event how its properties are read. An event
// whose properties have another form is as unknown as one of another type.
var decoders = map[string]func(raw json.RawMessage) (update, bool){
	"session.created": func(raw json.RawMessage) (update, bool) {
		p, ok := read[struct {
			Info sessionInfo `json:"info"`
		}](raw)
		return update{kind: kindSession, session: p.Info.ID, parent: p.Info.Parent}, ok && p.Info.ID != ""
	},
	"message.updated": func(raw json.RawMessage) (update, bool) {
		p, ok := read[struct {
			Info messageInfo `json:"info"`
		}](raw)
		return update{kind: kindMessage, session: p.Info.Session, info: p.Info}, ok && p.Info.ID != ""
	},
	"message.part.updated": func(raw json.RawMessage) (update, bool) {
		p, ok := read[struct {
			Part  part   `json:"part"`
			Delta string `json:"delta"` // of older servers: what was added, with the part as it stands
		}](raw)
		return update{kind: kindPart, session: p.Part.Session, part: p.Part}, ok && p.Part.ID != ""
	},
	"message.part.delta": func(raw json.RawMessage) (update, bool) {
		p, ok := read[struct {
			Session string `json:"sessionID"`
			delta
		}](raw)
		return update{kind: kindDelta, session: p.Session, delta: p.delta}, ok && p.Part != "" && p.Field == "text"
	},
	"session.status": func(raw json.RawMessage) (update, bool) {
		p, ok := read[struct {
			Session string `json:"sessionID"`
			Status  status `json:"status"`
		}](raw)
		return update{kind: kindStatus, session: p.Session, status: p.Status}, ok && p.Status.Type != ""
	},
	"session.idle": func(raw json.RawMessage) (update, bool) {
		p, ok := read[struct {
			Session string `json:"sessionID"`
		}](raw)
		return update{kind: kindIdle, session: p.Session}, ok
	},
	"session.error": func(raw json.RawMessage) (update, bool) {
		p, ok := read[struct {
			Session string   `json:"sessionID"`
			Error   *failure `json:"error"`
		}](raw)
		return update{kind: kindError, session: p.Session, failure: p.Error}, ok && p.Error != nil
	},
	"todo.updated": func(raw json.RawMessage) (update, bool) {
		p, ok := read[struct {
			Session string `json:"sessionID"`
			Todos   []todo `json:"todos"`
		}](raw)
		return update{kind: kindTodos, session: p.Session, todos: p.Todos}, ok
	},
	"permission.asked": func(raw json.RawMessage) (update, bool) {
		p, ok := read[struct {
			Session string `json:"sessionID"`
			request
		}](raw)
		return update{kind: kindAsked, session: p.Session, request: p.request}, ok && p.ID != ""
	},
	"permission.replied": func(raw json.RawMessage) (update, bool) {
		p, ok := read[struct {
			Session string `json:"sessionID"`
			ID      string `json:"requestID"`
		}](raw)
		return update{kind: kindReplied, session: p.Session, id: p.ID}, ok
	},
	"question.asked": func(raw json.RawMessage) (update, bool) {
		p, ok := read[struct {
			Session string `json:"sessionID"`
			ID      string `json:"id"`
		}](raw)
		return update{kind: kindQuestion, session: p.Session, id: p.ID}, ok && p.ID != ""
	},
}

// passed lists the types that say nothing about a turn.
var passed = map[string]bool{"server.connected": true, "server.heartbeat": true, "sync": true}

func read[T any](raw json.RawMessage) (T, bool) {
	var v T
	err := json.Unmarshal(raw, &v)
	return v, err == nil
}

// frame is an event as it stands on the stream; of the global one it is
// wrapped.
type frame struct {
	Type       string          `json:"type"`
	Properties json.RawMessage `json:"properties"`
	Payload    *struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
	} `json:"payload"`
}

// decode reads one event. known is false for one that is not understood.
func decode(data []byte) (u update, event string, known bool) {
	var f frame
	if json.Unmarshal(data, &f) != nil {
		return update{}, "", false
	}
	if f.Payload != nil {
		f.Type, f.Properties = f.Payload.Type, f.Payload.Properties
	}
	if passed[f.Type] {
		return update{}, f.Type, true
	}
	decoder, there := decoders[f.Type]
	if !there {
		return update{}, f.Type, false
	}
	u, ok := decoder(f.Properties)
	if !ok {
		return update{}, f.Type, false
	}
	return u, f.Type, true
}
