package sessionlog

import (
	"strings"

	"boo/orchestrator"
)

// pieces are events that wait to be written. An agent says its messages in pieces,
// and what begins in one as a secret may end in another:
//
//	text ──▶ held ──a text of the same message──▶ held; what cannot be a part of
//	           │                                  a secret any more is written
//	           ╰──────anything else──▶ written
type pieces struct {
	hide redactor
	list []orchestrator.Event // texts of one message, and what does not interrupt it
}

// mostHeld bounds what is held of one message.
const mostHeld = 64 << 10

// add takes the next event in, and returns those of which it is known now how they
// are written.
func (p *pieces) add(ev orchestrator.Event) (ready []orchestrator.Event) {
	if len(p.list) > 0 && !goesOn(p.list[0], ev) {
		ready = p.release(p.message(), len(p.list))
	}
	if len(p.list) == 0 && !isPiece(ev) {
		return append(ready, ev)
	}
	p.list = append(p.list, ev)
	return ready
}

func isPiece(ev orchestrator.Event) bool {
	return ev.Kind == orchestrator.EventText || ev.Kind == orchestrator.EventThought
}

// goesOn reports whether a message may go on at or after an event.
func goesOn(first, ev orchestrator.Event) bool {
	switch ev.Kind {
	case orchestrator.EventUsage, orchestrator.EventMode, orchestrator.EventCommands:
		return true
	}
	return ev.Kind == first.Kind && ev.Turn == first.Turn && ev.MessageID == first.MessageID
}

// settled returns what no text that is still to come can make part of a secret. The
// rest need not be kept: the store has it.
func (p *pieces) settled() []orchestrator.Event {
	m := p.message()
	end := p.hide.openEnd(m.text)
	if len(m.text)-end > mostHeld {
		end = len(m.text)
	}
	n := m.endBefore(end)
	for _, s := range m.secrets { // from the last to the first
		if s.from < m.at[n] && m.at[n] < s.to {
			n = m.endBefore(s.from)
		}
	}
	return p.release(m, n)
}

// message is the text of some pieces, joined.
type message struct {
	text    string
	at      []int  // where the text of each begins, and the end
	secrets []span // the last first
}

func (p *pieces) message() message {
	var text strings.Builder
	m := message{at: make([]int, 1, len(p.list)+1)}
	for _, ev := range p.list {
		if isPiece(ev) {
			text.WriteString(ev.Text)
		}
		m.at = append(m.at, text.Len())
	}
	m.text = text.String()
	m.secrets = p.hide.secrets(m.text)
	return m
}

// endBefore counts the first pieces that end at a place or before it.
func (m message) endBefore(place int) (n int) {
	for n+1 < len(m.at) && m.at[n+1] <= place {
		n++
	}
	return n
}

// release hands out the first n, without secrets.
func (p *pieces) release(m message, n int) []orchestrator.Event {
	ready := p.list[:n:n]
	p.list = p.list[n:]
	for i, ev := range ready {
		if isPiece(ev) && len(m.secrets) > 0 {
			ready[i].Text = m.clean(m.at[i], m.at[i+1])
		}
	}
	return ready
}

// clean is a part of the text. A secret is replaced where it begins.
func (m message) clean(from, to int) string {
	text := m.text[from:to]
	for _, s := range m.secrets {
		if s.to <= from || s.from >= to {
			continue
		}
		put := redacted
		if s.from < from {
			put = ""
		}
		text = text[:max(s.from-from, 0)] + put + text[min(s.to-from, len(text)):]
	}
	return text
}
