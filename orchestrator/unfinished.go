package orchestrator

import (
	"context"
	"fmt"
	"strings"
)

// leftOver finds out which calls of a turn that was cut off had begun and not
// ended: from its last checkpoint that holds, and the events since. said tells
// of checkpoints that do not hold.
func (e *Engine) leftOver(ctx context.Context, t Turn) (book *callBook, said string, err error) {
	book = &callBook{}
	last, bad, err := e.Store.LatestCheckpoint(ctx, t.Chat, t.Agent)
	if err != nil && CodeOf(err) != CodeNotFound {
		return book, "", err
	}
	after := Seq(0)
	if err == nil && last.Turn == t.ID {
		book, after = bookOf(last), last.Seq
		steps, err := e.Store.Checkpoints(ctx, CheckpointQuery{Turn: t.ID})
		if err != nil {
			return book, "", err
		}
		book.begun = len(steps) // one before each call
	}
	if len(bad) > 0 {
		said = fmt.Sprintf("%d checkpoints of %s in chat %s are damaged, set aside and not used", len(bad), t.Agent, t.Chat)
	}
	for {
		events, err := e.Store.Events(ctx, t.Chat, t.ID, after, historyPage)
		if err != nil {
			return book, said, err
		}
		for _, ev := range events {
			if after = ev.Seq; ev.Kind == EventTool {
				book.note(ev.Tool)
			}
		}
		if len(events) < historyPage {
			return book, said, nil
		}
	}
}

// cutOffNote is what an agent is told, at its next turn, of the tool calls that
// a turn left behind; "" if there is nothing to tell. What the agent itself has
// said is quoted.
func cutOffNote(t Turn, out outcome) string {
	known := out.state == TurnCompleted || out.book == nil || out.book.begun == 0
	if known || out.state != TurnInterrupted && len(out.book.open)+out.book.lost == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Your turn %d in this chat did not come to its end (%s).\n", t.Number, out.state)
	open, more := out.book.unfinished()
	if len(open)+more == 0 {
		b.WriteString("All tool calls that you had begun have ended: do not repeat them.\n")
		return b.String()
	}
	b.WriteString("The tool calls below were begun, and whether they were carried out is not known. Do not assume that they were done,\n" +
		"and do not simply repeat them: look first at what they have left. The others have ended: do not repeat them.\n")
	for _, call := range open {
		b.WriteString(quote(strings.TrimSpace(call.Kind+" "+call.Title+" "+call.Input), 2*maxCallText))
	}
	if more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	return b.String()
}
