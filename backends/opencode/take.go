package opencode

import (
	"context"
	"fmt"
	"slices"
	"time"

	"boo/orchestrator"
)

// take looks at one event. Only a look at the server's records ends the turn.
func (t *turn) take(ctx context.Context, u update) *end {
	switch u.kind {
	case kindMessage:
		t.head(u.info)
	case kindPart:
		t.part(u.part)
	case kindDelta:
		t.delta(u.delta)
	case kindStatus:
		return t.status(ctx, u.status)
	case kindIdle:
		return t.idle(ctx)
	case kindError:
		t.fail(u.failure)
	case kindTodos:
		t.plan(u.todos)
	case kindAsked:
		t.ask(u.session, u.request)
	case kindQuestion:
		t.decline(u.id)
	case kindReplied:
		delete(t.asked, u.id)
	}
	return nil
}

// head notes which messages are about this prompt.
func (t *turn) head(info messageInfo) {
	switch {
	case info.ID == t.id:
		t.open = true
	case info.Role == roleAssistant && info.Parent == t.id && info.ID != t.void:
		t.open = true
		t.answers[info.ID] = true
	default:
		if aborted := t.s.lay(info); aborted != nil {
			t.laid = aborted // and ours, which waits behind it, maybe with it
		}
	}
}

// fail keeps what failed: the look at the records tells whether it ended the
// turn. The echo of an earlier abort is nothing of this turn's.
func (t *turn) fail(f *failure) {
	if f.Name == errorAborted {
		return
	}
	t.failure = f
}

func (t *turn) status(ctx context.Context, s status) *end {
	switch s.Type {
	case statusIdle:
		return t.idle(ctx)
	case statusRetry:
		if t.open {
			t.notice(retryText(s))
		}
	}
	t.still = time.Time{}
	return nil
}

func retryText(s status) string {
	text := fmt.Sprintf("the model call failed (%s); attempt %d", s.Message, s.Attempt+1)
	if s.Next > 0 {
		text += " at " + time.UnixMilli(int64(s.Next)).Format(time.TimeOnly)
	}
	return text
}

func (t *turn) notice(text string) {
	t.sink(orchestrator.Event{Kind: orchestrator.EventNotice, Text: text})
}

// plan passes a plan on, once: it comes as an event of its own, and in the tool
// call that made it, which the server's records have too.
func (t *turn) plan(todos []todo) {
	if !t.open || slices.Equal(todos, t.planned) {
		return
	}
	t.planned = todos
	entries := make([]orchestrator.PlanEntry, 0, len(todos))
	for _, d := range todos {
		entries = append(entries, orchestrator.PlanEntry{Content: d.Content, Priority: d.Priority, Status: d.Status})
	}
	t.sink(orchestrator.Event{Kind: orchestrator.EventPlan, Plan: entries})
}

// idle is a reason to look, if the prompt may have been answered at all: the
// idles that trail behind an abort come before that.
func (t *turn) idle(ctx context.Context) *end {
	if !t.open && t.failure == nil && !t.stopping {
		t.s.host.counts.Stale.Add(1)
		return nil
	}
	return t.inspect(ctx)
}
