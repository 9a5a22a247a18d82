package acp

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"boo/orchestrator"
)

// maxOpening is how much is kept of the beginning of the last message, to tell
// an error that poses as an answer.
const maxOpening = 512

// turn is one prompt in flight. Updates come from the reading goroutine, the
// end from the one that prompts; the gate between them sees to it that nothing
// is passed on after the end.
type turn struct {
	stop  chan time.Duration // requests to stop, with their grace; unbuffered
	ended chan struct{}      // closed when Prompt is about to return

	stopping bool // guarded by the mutex of the session

	gate    sync.Mutex // held while sink runs: that is the backpressure
	sink    func(orchestrator.Event)
	over    bool
	tools   toolbox
	asides  []string            // beginnings of texts that are no answer
	meter   *meter              // the session's
	shown   orchestrator.Usage  // as last passed on
	sum     orchestrator.Usage  // of the usages that came with chunks
	last    string              // message id of the last message
	talking bool                // its pieces are still coming
	opening string              // its beginning
	silent  bool                // no message, thought or tool call so far
	bill    *orchestrator.Usage // what it has cost, once that is settled
}

func newTurn(sink func(orchestrator.Event), m *meter) *turn {
	return &turn{stop: make(chan time.Duration), ended: make(chan struct{}), sink: sink, meter: m, silent: true}
}

// take passes an update on as an event, if it is one. known is false for an
// update of a kind or form that is not understood; it is passed on raw.
func (t *turn) take(raw json.RawMessage) (known bool) {
	t.gate.Lock()
	defer t.gate.Unlock()
	if t.over {
		return true
	}
	c, isText := decodeChunk(raw)
	switch c.Kind {
	case updateText:
		if known = isText; isText {
			t.message(c, orchestrator.EventText)
		}
	case updateThought:
		if known = isText; isText {
			t.message(c, orchestrator.EventThought)
		}
	case updateTool, updateToolMore:
		u, ok := decodeTool(raw)
		if known = ok; ok {
			t.tool(u)
		}
	case updatePlan:
		plan, ok := decodePlan(raw)
		known = t.passIf(ok, orchestrator.Event{Kind: orchestrator.EventPlan, Plan: plan})
	case updateCommands:
		commands, ok := decodeCommands(raw)
		known = t.passIf(ok, orchestrator.Event{Kind: orchestrator.EventCommands, Raw: commands})
	case updateMode:
		mode, ok := decodeMode(raw)
		known = t.passIf(ok, orchestrator.Event{Kind: orchestrator.EventMode, Text: mode})
	case updateOptions:
		known = t.options(raw)
	case updateUsage:
		u, ok := decodeWindow(raw)
		if known = ok; ok {
			t.meter.take(u, true)
			t.usage()
		}
	case updateUser, updateInfo:
		// An echo of the prompt, or a title: nothing that boo does not have.
		known = true
	}
	if !known {
		t.sink(orchestrator.Event{Kind: orchestrator.EventUnknown, Raw: raw})
	}
	return known
}

func (t *turn) passIf(ok bool, ev orchestrator.Event) bool {
	if ok {
		t.sink(ev)
	}
	return ok
}

// message passes a piece of a message on. Empty pieces are how qwen tells its
// usage.
func (t *turn) message(c chunk, kind orchestrator.EventKind) {
	if c.Meta.Usage != nil {
		t.sum = t.sum.Plus(c.Meta.Usage.usage())
		t.usage()
	}
	if c.Content.Text == "" {
		return
	}
	if slices.ContainsFunc(t.asides, func(begin string) bool { return strings.HasPrefix(c.Content.Text, begin) }) {
		t.sink(orchestrator.Event{Kind: orchestrator.EventNotice, Text: strings.TrimSpace(c.Content.Text)})
		return
	}
	t.silent = false
	if kind == orchestrator.EventText {
		if !t.talking || c.MessageID != t.last {
			t.opening = ""
		}
		t.talking, t.last = true, c.MessageID
		t.opening += cut(c.Content.Text, maxOpening-len(t.opening))
	} else {
		t.talking = false
	}
	t.sink(orchestrator.Event{Kind: kind, Text: c.Content.Text, MessageID: c.MessageID})
}

// tool passes a tool call on as it stands now; the gate is held.
func (t *turn) tool(u toolUpdate) orchestrator.ToolCall {
	t.talking, t.silent = false, false
	call, changed := t.tools.merge(u)
	if changed {
		t.sink(orchestrator.Event{Kind: orchestrator.EventTool, Tool: &call})
	}
	return call
}

// asked takes in the tool call of a permission request: with some agents it is
// the first that is heard of it.
func (t *turn) asked(u toolUpdate) (orchestrator.ToolCall, bool) {
	t.gate.Lock()
	defer t.gate.Unlock()
	if t.over {
		return orchestrator.ToolCall{}, false
	}
	return t.tool(u), true
}

// remark passes on what boo has to say.
func (t *turn) remark(text string) {
	t.gate.Lock()
	defer t.gate.Unlock()
	if !t.over {
		t.sink(orchestrator.Event{Kind: orchestrator.EventNotice, Text: text})
	}
}

func (t *turn) options(raw json.RawMessage) bool {
	all, ok := decodeOptions(raw)
	if !ok {
		return false
	}
	if o, found := pick(all, "mode"); found && o.Current != "" {
		t.sink(orchestrator.Event{Kind: orchestrator.EventMode, Text: o.Current})
	}
	return true
}

// usage passes the turn's usage on, if it changed.
func (t *turn) usage() {
	u := t.sum.Plus(t.meter.turn())
	if u != t.shown {
		t.shown = u
		t.sink(orchestrator.Event{Kind: orchestrator.EventUsage, Usage: &u})
	}
}

// settle fixes what the turn has cost, as far as updates told. What trails
// behind the agent's answer is the next turn's.
func (t *turn) settle() {
	t.gate.Lock()
	defer t.gate.Unlock()
	t.settled()
}

// settled is settle with the gate held.
func (t *turn) settled() orchestrator.Usage {
	if t.bill == nil {
		u := t.sum.Plus(t.meter.settle())
		t.bill = &u
	}
	return *t.bill
}

// end closes the gate. Tool calls that never ended are passed on as failed for
// the reason given; without one, the turn ended as it should, and it is told
// if nothing came of it: goose ends so when the context is full. end returns
// what the turn has cost as far as updates told, and the beginning of the last
// message.
func (t *turn) end(why string) (orchestrator.Usage, string) {
	t.gate.Lock()
	defer t.gate.Unlock()
	switch {
	case why == "" && t.silent:
		t.sink(orchestrator.Event{Kind: orchestrator.EventNotice, Text: "the agent ended its turn without saying or doing anything"})
	case why != "":
		for _, call := range t.tools.fail(why) {
			t.sink(orchestrator.Event{Kind: orchestrator.EventTool, Tool: &call})
		}
	}
	t.over = true
	return t.settled(), strings.TrimSpace(t.opening)
}
