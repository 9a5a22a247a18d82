package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"boo/backends"
	"boo/orchestrator"
)

// Sole is a session with an agent of its own, which ends with it.
type Sole struct {
	*Session
	Host *Host
}

// Close ends the agent.
func (s *Sole) Close(ctx context.Context) error { return s.Host.Close(ctx) }

// Open brings an agent up and a session about.
func Open(ctx context.Context, p Protocol, def backends.Definition, child backends.Child, req orchestrator.SessionRequest) (*Sole, error) {
	host, err := p.Boot(ctx, def, func(context.Context, func([]string) ([]string, error)) (backends.Child, error) { return child, nil })
	if err != nil {
		return nil, err
	}
	session, err := host.Open(ctx, req)
	if err != nil {
		_ = host.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return &Sole{session.(*Session), host.(*Host)}, nil
}

// Lines splits a stream as a connection does and returns its lines, those over
// the limit left out.
func Lines(r io.Reader, limit int) (all []string) {
	l := newLines(r, limit)
	for {
		line, err := l.next()
		switch {
		case err == nil || errors.Is(err, io.ErrUnexpectedEOF):
			all = append(all, string(line))
		case errors.Is(err, io.EOF):
			return all
		}
	}
}

// Bones reads what a line is, in pieces of size bytes.
func Bones(line string, size int) string {
	var b bones
	for piece := range slices.Chunk([]byte(line), size) {
		b.add(piece)
	}
	return string(b.kept)
}

// Decode sorts a line: "noise", "request", "notification" or "response".
func Decode(line []byte) string {
	_, k := decode(line)
	return []string{"noise", "request", "notification", "response"}[k]
}

// Events passes updates through one turn.
func Events(updates ...json.RawMessage) []orchestrator.Event {
	var events []orchestrator.Event
	t := newTurn(func(ev orchestrator.Event) { events = append(events, ev) }, &meter{})
	for _, u := range updates {
		t.take(u)
	}
	t.end("cancelled")
	t.take(json.RawMessage(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"after the end"}}`))
	return events
}
