package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// question is a permission request that stands open on the screen.
type question struct {
	request orchestrator.Permission
	keys    map[byte]orchestrator.PermissionOption
	answer  chan byte // holds the one key
	cancel  context.CancelFunc
}

// answers is safe on nil: no question, no answer.
func (q *question) answers() <-chan byte {
	if q == nil {
		return nil
	}
	return q.answer
}

// settledBy reports whether an event makes the question pointless.
func (q *question) settledBy(ev orchestrator.Event) bool {
	if p := ev.Permission; p != nil {
		return p.ID == q.request.ID && p.Outcome != ""
	}
	return ev.Kind == orchestrator.EventSummary || ev.Kind == orchestrator.EventTurn && ev.State.Terminal()
}

// The keys, and the kinds of options that each one may stand for. The agent
// names and orders its options as it likes; their kind is what is asked for.
var questionKeys = []struct {
	key   byte
	word  string
	kinds []string
}{
	{'y', "yes, once", []string{"allow_once"}},
	{'a', "always", []string{"allow_always"}},
	{'n', "no", []string{"reject_once", "reject_always"}},
}

func optionKeys(options []orchestrator.PermissionOption) map[byte]orchestrator.PermissionOption {
	keys := map[byte]orchestrator.PermissionOption{'n': {ID: "cancelled", Kind: "reject_once"}}
	for _, k := range questionKeys {
		for _, kind := range k.kinds {
			i := slices.IndexFunc(options, func(o orchestrator.PermissionOption) bool { return o.Kind == kind })
			if i >= 0 {
				keys[k.key] = options[i]
				break
			}
		}
	}
	return keys
}

// openQuestion shows what the agent wants in boo's own words and waits for a
// key. The screen rests until it is answered.
func (w *watch) openQuestion(ctx context.Context, p orchestrator.Permission) {
	keys := optionKeys(p.Options)
	v := w.view
	v.screen.Clear()
	v.line(tty.Yellow("? "), tty.Bold(string(w.sent.Agent)+" asks to "+askedFor(p.Tool.Kind)))
	for _, l := range describeInput(p.Tool) {
		v.line(tty.Plain("  "), tty.Plain(l))
	}
	var offer []string
	var accepted []byte
	for _, k := range questionKeys {
		if _, ok := keys[k.key]; ok {
			offer = append(offer, string(k.key)+" "+k.word)
			accepted = append(accepted, k.key)
		}
	}
	v.line(tty.Bold("  allow it?  "), tty.Plain(strings.Join(offer, " · ")))

	ctx, cancel := context.WithCancel(ctx)
	q := &question{request: p, keys: keys, answer: make(chan byte, 1), cancel: cancel}
	w.ask = q
	w.hands.Go(func() {
		key, err := w.e.Key(ctx, string(accepted))
		switch {
		case ctx.Err() != nil:
		case err != nil:
			q.answer <- 'n' // nobody can answer: the safe one
		default:
			q.answer <- key
		}
	})
}

func (w *watch) closeQuestion() {
	if w.ask != nil {
		w.ask.cancel()
		w.ask = nil
	}
}

// answer passes the person's key on, and lets the screen go on.
func (w *watch) answer(ctx context.Context, key byte) {
	q := w.ask
	w.closeQuestion()
	if key == tty.CtrlC {
		w.stop(ctx)
		return
	}
	option := q.keys[key]
	if strings.HasPrefix(option.Kind, "allow") {
		w.view.line(tty.Green("  allowed"))
	} else {
		w.view.line(tty.Red("  refused"))
	}
	w.hands.Go(func() {
		err := w.svc.Answer(ctx, q.request.ID, option.ID)
		if err != nil && ctx.Err() == nil && orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
			w.tell(ctx, "answer the agent: "+err.Error())
		}
	})
	w.replay(ctx)
}

func askedFor(kind string) string {
	switch kind {
	case "execute":
		return "run a command"
	case "read", "edit", "delete", "move", "search", "fetch":
		return kind + " something"
	}
	return "use a tool"
}

// What a person decides on must be seen whole; what is longer than this says so.
const maxInput = 4 << 10

// describeInput shows the raw input of a tool call, since its title is only
// what the agent says about it.
func describeInput(t orchestrator.ToolCall) []string {
	var lines []string
	if t.Title != "" {
		lines = append(lines, "it says: "+t.Title)
	}
	for _, at := range t.Locations {
		lines = append(lines, "file: "+at)
	}
	for _, d := range t.Diffs {
		lines = append(lines, "changes: "+d.Path)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(t.Input, &fields); err != nil || len(fields) == 0 {
		if len(t.Input) > 0 {
			lines = append(lines, "input: "+string(t.Input))
		}
		return cutInput(lines)
	}
	dec := json.NewDecoder(bytes.NewReader(t.Input)) // for the order of the fields
	_, _ = dec.Token()
	for dec.More() {
		name, _ := dec.Token()
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		parts := strings.Split(strings.TrimRight(text, "\n"), "\n")
		lines = append(lines, fmt.Sprintf("%v: %s", name, parts[0]))
		for _, more := range parts[1:] {
			lines = append(lines, "  "+more)
		}
	}
	return cutInput(lines)
}

func cutInput(lines []string) []string {
	room := maxInput
	for i, l := range lines {
		if room -= len(l) + 1; room < 0 {
			rest := 0
			for _, l := range lines[i:] {
				rest += len(l) + 1
			}
			return append(slices.Clone(lines[:i]), fmt.Sprintf("… and %d more bytes that are not shown", rest))
		}
	}
	return lines
}
