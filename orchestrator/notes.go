package orchestrator

import (
	"context"
	"strings"
)

const (
	noteHead = "<note from=\"boo\">\n"
	noteTail = "</note>\n"
)

// notes renders what the agent is to be told before its prompt; "" if there is
// nothing. No text in it can end the block early.
func (t *talk) notes(ctx context.Context) (string, error) {
	list, err := t.lt.e.Store.Notes(ctx, t.lt.turn.Chat, t.lt.turn.Agent)
	if err != nil || len(list) == 0 {
		return "", err
	}
	var b strings.Builder
	b.WriteString(noteHead)
	for _, n := range list {
		t.told = append(t.told, n.ID)
		b.WriteString(strings.ReplaceAll(n.Text, "</note", "<\u200b/note"))
	}
	b.WriteString(noteTail)
	return b.String(), nil
}

// forgetNotes forgets the notes that the agent has heard.
func (t *talk) forgetNotes(ctx context.Context) {
	if len(t.told) == 0 {
		return
	}
	// One that stays is told once more, which does no harm.
	_ = t.lt.e.Store.DropNotes(ctx, t.told)
}
