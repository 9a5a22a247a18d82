package main

import (
	"strings"
	"time"

	"boo/orchestrator"
)

// passage is one thing that was said or done in a chat: messages whole, calls
// as they ended.
type passage struct {
	Turn  orchestrator.TurnID    `json:"turn,omitempty"`
	At    time.Time              `json:"at"`
	Role  string                 `json:"role"` // person, agent, thought, tool, plan, notice, end
	Agent orchestrator.AgentName `json:"agent,omitempty"`
	Title string                 `json:"title,omitempty"` // of a call; the state of a turn's end
	Text  string                 `json:"text,omitempty"`
	State string                 `json:"state,omitempty"` // of a call

	message, call string
}

// transcript gathers passages from events and passes each on when it is whole.
type transcript struct {
	view     *turnView // names tool calls
	thoughts bool
	pass     func(passage) error
	open     *passage           // text that may go on
	calls    map[string]passage // that have not ended
	order    []string
	err      error
}

func newTranscript(worktree orchestrator.WorktreeDir, thoughts bool, pass func(passage) error) *transcript {
	return &transcript{view: &turnView{worktree: worktree}, thoughts: thoughts, pass: pass, calls: map[string]passage{}}
}

func (t *transcript) event(ev orchestrator.Event) {
	p := passage{Turn: ev.Turn, At: ev.At, Agent: ev.Agent, Text: ev.Text, message: ev.MessageID}
	switch ev.Kind {
	case orchestrator.EventPrompt:
		p.Role = "person"
	case orchestrator.EventText:
		p.Role = "agent"
	case orchestrator.EventThought:
		p.Role = "thought"
	case orchestrator.EventNotice:
		p.Role = "notice"
	case orchestrator.EventPlan:
		p.Role, p.Text = "plan", planText(ev.Plan)
	case orchestrator.EventTool:
		t.tool(p, *ev.Tool)
		return
	case orchestrator.EventSummary:
		t.endCalls()
		p.Role, p.Title, p.Text = "end", stateName(ev.Summary.State), ev.Summary.Reason
	default:
		return
	}
	if p.Role == "thought" && !t.thoughts {
		return
	}
	if o := t.open; o != nil && o.Role == p.Role && o.message == p.message && o.Turn == p.Turn && (p.Role == "agent" || p.Role == "thought") {
		o.Text += p.Text
		return
	}
	t.flush()
	t.open = &p
}

// tool notes how a call stands, and passes it on when it is over.
func (t *transcript) tool(p passage, call orchestrator.ToolCall) {
	t.flush()
	p.Role, p.Title, p.Text, p.State, p.call = "tool", t.view.describe(call), call.Output, call.Status, call.ID
	if _, known := t.calls[call.ID]; !known {
		t.order = append(t.order, call.ID)
	}
	t.calls[call.ID] = p
	if call.Status == "completed" || call.Status == "failed" {
		t.put(p)
		delete(t.calls, call.ID)
	}
}

// endCalls passes on the calls that never ended.
func (t *transcript) endCalls() {
	t.flush()
	for _, id := range t.order {
		if p, ok := t.calls[id]; ok {
			p.State = "never ended"
			t.put(p)
		}
	}
	t.calls, t.order = map[string]passage{}, nil
}

func (t *transcript) flush() {
	if t.open != nil {
		t.put(*t.open)
		t.open = nil
	}
}

func (t *transcript) put(p passage) {
	if t.err == nil {
		t.err = t.pass(p)
	}
}

func planText(plan []orchestrator.PlanEntry) string {
	var b strings.Builder
	for _, step := range plan {
		mark := " "
		if step.Status == "completed" {
			mark = "x"
		}
		b.WriteString("- [" + mark + "] " + strings.Join(strings.Fields(step.Content), " ") + "\n")
	}
	return b.String()
}
