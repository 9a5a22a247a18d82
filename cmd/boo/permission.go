package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// question is a permission request that stands open on the screen.
type question struct {
	request orchestrator.Permission
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

type questionKey struct {
	key    byte
	word   string
	answer orchestrator.PermissionAnswer
}

// questionKeys are the keys and what each one says. The agent names and orders
// its options as it likes; which of them is meant, the orchestrator finds out.
var questionKeys = []questionKey{
	{'y', "yes, once", orchestrator.PermissionAnswer{Allow: true}},
	{'a', "always in this chat", orchestrator.PermissionAnswer{Allow: true, Always: true}},
	{'n', "no", orchestrator.PermissionAnswer{}},
	{'N', "never in this chat", orchestrator.PermissionAnswer{Always: true}},
}

// openQuestion shows what the agent wants and waits for a key. The screen rests
// until it is answered.
func (w *watch) openQuestion(ctx context.Context, p orchestrator.Permission) {
	var accepted []byte
	for _, k := range questionKeys {
		accepted = append(accepted, k.key)
	}
	ctx, cancel := context.WithCancel(ctx)
	w.ask = &question{request: p, answer: make(chan byte, 1), cancel: cancel}
	listening := make(chan struct{})
	listens := sync.OnceFunc(func() { close(listening) })
	answer := w.ask.answer
	w.hands.Go(func() {
		defer listens()
		key, err := w.e.Key(ctx, string(accepted), listens)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			answer <- 'n' // nobody can answer: the safe one
		default:
			answer <- key
		}
	})
	<-listening
	w.showQuestion(p)
}

// showQuestion shows it in boo's own words.
func (w *watch) showQuestion(p orchestrator.Permission) {
	v := w.view
	v.screen.Clear()
	v.line(tty.Yellow("? "), tty.Bold(string(w.sent.Agent)+" asks to "+askedFor(p)))
	for _, l := range describeInput(p.Tool) {
		v.line(tty.Plain("  "), tty.Plain(l))
	}
	var offer []string
	for _, k := range questionKeys {
		offer = append(offer, string(k.key)+" "+k.word)
	}
	v.line(tty.Bold("  allow it?  "), tty.Plain(strings.Join(offer, " · ")))
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
	var answer orchestrator.PermissionAnswer // what no key says is no
	if i := slices.IndexFunc(questionKeys, func(k questionKey) bool { return k.key == key }); i >= 0 {
		answer = questionKeys[i].answer
	}
	if answer.Allow {
		w.view.line(tty.Green("  allowed"))
	} else {
		w.view.line(tty.Red("  refused"))
	}
	if answer.Always {
		w.view.line(tty.Plain("  " + fromNowOn(w.sent.Agent, q.request, answer.Allow)))
	}
	w.hands.Go(func() {
		err := w.svc.Answer(ctx, q.request.ID, answer)
		if err != nil && ctx.Err() == nil && orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
			w.tell(ctx, "answer the agent: "+err.Error())
		}
	})
	w.replay(ctx)
}

// askedFor says what is asked for, by what boo makes of the raw input.
func askedFor(p orchestrator.Permission) string {
	switch kind := kindAsked(p); kind {
	case "execute":
		return "run a command"
	case "read", "edit", "delete", "move", "search", "fetch":
		return kind + " something"
	}
	return "use a tool"
}

// fromNowOn says what an answer that was given for good covers: the kind of the
// request, and not what it was about.
func fromNowOn(agent orchestrator.AgentName, p orchestrator.Permission, allow bool) string {
	what := map[string]string{
		"execute": "run any command", "read": "read any file", "search": "search anywhere", "edit": "edit any file",
		"delete": "delete any file", "move": "move any file", "fetch": "fetch anything from the network",
	}[kindAsked(p)]
	what = cmp.Or(what, "use any other tool")
	if !allow {
		return "from now on " + string(agent) + " may not " + what + " in this chat, and nobody is asked"
	}
	return "from now on " + string(agent) + " may " + what + " in this chat without asking, unless it names something outside of the worktree"
}

// kindAsked is the kind of a request as boo sees it.
func kindAsked(p orchestrator.Permission) string { return cmp.Or(p.Kind, p.Tool.Kind) }

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
