package opencode

import (
	"strings"

	"boo/orchestrator"
)

// text is a part that streams: a piece of the answer or of the reasoning.
type text struct {
	kind   orchestrator.EventKind
	passed strings.Builder // what was passed on
	broken bool            // pieces may be missing: the whole part fills them in
	done   bool
}

// part takes a part as it stands.
func (t *turn) part(p part) {
	if !t.answers[p.Message] {
		if p.Message != t.id {
			t.s.host.counts.Stale.Add(1)
		}
		return
	}
	switch p.Type {
	case "text":
		t.whole(p, orchestrator.EventText)
	case "reasoning":
		t.whole(p, orchestrator.EventThought)
	case "tool":
		t.tool(p)
	case "step-finish":
		t.step(p)
	}
}

// whole takes a text as the server has it. Until it is complete only its kind
// is of interest: what is in it comes in pieces.
func (t *turn) whole(p part, kind orchestrator.EventKind) {
	if p.Synthetic || p.Ignored {
		return
	}
	x := t.texts[p.ID]
	if x == nil {
		x = &text{kind: kind}
		t.texts[p.ID] = x
		x.broken = p.Text != "" // its first pieces were not seen
	}
	if x.done || p.Time.End == 0 {
		return
	}
	x.done = true
	passed := x.passed.String()
	rest, ok := strings.CutPrefix(p.Text, passed)
	switch {
	case ok:
		t.say(p.ID, kind, rest)
	case strings.TrimSpace(passed) == strings.TrimSpace(p.Text):
		// The end of it was tidied up.
	default:
		t.notice("what was shown of this message is not all of it; here it is whole:")
		t.say(p.ID+"-whole", kind, p.Text)
	}
	x.passed.Reset()
}

// delta takes text that was added to a part. Text of a part that was not seen
// to begin is left to the whole part.
func (t *turn) delta(d delta) {
	if !t.answers[d.Message] {
		t.s.host.counts.Stale.Add(1)
		return
	}
	x := t.texts[d.Part]
	if x == nil {
		t.texts[d.Part] = &text{broken: true}
		return
	}
	if x.broken || x.done {
		return
	}
	x.passed.WriteString(d.Delta)
	t.say(d.Part, x.kind, d.Delta)
}

// gap marks what streams as incomplete: events were lost.
func (t *turn) gap() {
	for _, x := range t.texts {
		x.broken = true
	}
}

func (t *turn) say(id string, kind orchestrator.EventKind, piece string) {
	if piece != "" {
		t.spoken = t.spoken || kind == orchestrator.EventText
		t.sink(orchestrator.Event{Kind: kind, Text: piece, MessageID: id})
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
