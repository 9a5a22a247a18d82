package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// events writes server-sent events, one JSON value each.
type events struct {
	w     http.ResponseWriter
	begun bool
}

// send writes one event; name may be "". The headers go out with the first.
func (e *events) send(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", "text/event-stream")
		e.w.Header().Set("Cache-Control", "no-cache")
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	_, err = fmt.Fprintf(e.w, "%sdata: %s\n\n", name, data)
	return err
}

// flush hands on what was written so far, headers included.
func (e *events) flush() error { return http.NewResponseController(e.w).Flush() }

// object is a JSON object that is written once.
type object = map[string]any
