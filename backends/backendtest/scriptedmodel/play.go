package scriptedmodel

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// answer is how one API carries an answer to its client. Its methods are
// called by one goroutine. An error means that the client is gone.
type answer interface {
	text(s string) error
	thought(s string) error
	call(c toolCall) error
	// flush hands on what was written so far, headers included.
	flush() error
	end(u usage) error
	// fail answers with an error; nothing follows it.
	fail(status int, text string)
}

// usage is what an answer cost, estimated at four bytes per token.
type usage struct {
	Input  int
	Output int
}

// abort is the error by which a step ends the answer it stands in.
type abort string

func (a abort) Error() string { return string(a) }

// The ways in which a script ends an answer early.
const (
	abortFailed abort = "an error was answered"
	abortCut    abort = "the connection is to be dropped"
)

// player plays the answer to one request.
type player struct {
	req     request
	out     answer
	written int
}

// play answers req. It returns nil when the answer is complete or the script
// ended it with a status, abortCut if the connection is to be dropped, and
// another error if the client is gone.
func play(ctx context.Context, req request, scenario Scenario, out answer) error {
	p := &player{req: req, out: out}
	for _, step := range p.script(scenario) {
		if err := p.step(ctx, step); err != nil {
			if err == abortFailed {
				return nil
			}
			return err
		}
	}
	return out.end(usage{Input: req.tokens(), Output: p.written/4 + 1})
}

// script returns the steps of this one answer.
func (p *player) script(scenario Scenario) Script {
	if len(p.req.Tools) == 0 {
		return Script{{Verb: Say, Text: "Scripted work"}}
	}
	prompt, results := p.req.prompt()
	var script Script
	if scenario != nil {
		script = scenario(strings.TrimSpace(unfenced(prompt)))
	}
	if script == nil {
		script = Parse(prompt)
	}
	if script == nil {
		script = Script{{Verb: Say, Text: "I am a scripted model: ask me to `write FILE with TEXT` or to `run COMMAND`, and I shall."}}
	}
	return script.part(results)
}

func (p *player) step(ctx context.Context, step Step) error {
	switch step.Verb {
	case Write, Edit, Run, Plan, Call:
		return p.useTool(step)
	case Think:
		p.written += len(step.Text)
		return p.flushed(p.out.thought(step.Text + "\n"))
	case Say:
		return p.say(step.Text)
	case Report:
		return p.say(p.req.result())
	case Remember:
		return p.say("I will remember " + step.Text + ".")
	case Recall:
		if word := Remembered(p.req.prompts()); word != "" {
			return p.say("You asked me to remember " + word + ".")
		}
		return p.say("I remember nothing.")
	case Stream:
		return p.stream(ctx, step.Count, step.Every)
	case Chunks:
		return p.chunks(step.Count)
	case Bytes:
		return p.say(strings.Repeat("lorem ipsum dolor sit amet, consectetur adipisci. ", step.Count/50+1)[:step.Count])
	}
	return p.breakOff(ctx, step)
}

// breakOff plays the steps after which no answer comes.
func (p *player) breakOff(ctx context.Context, step Step) error {
	switch step.Verb {
	case Hang:
		<-ctx.Done()
		return ctx.Err()
	case Stall:
		if err := p.say("One moment"); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	case Cut:
		if err := p.say("I was about to"); err != nil {
			return err
		}
		return abortCut
	case Status:
		text := step.Text
		if text == "" {
			text = "scripted: " + http.StatusText(step.Count)
		}
		p.out.fail(step.Count, text)
		return abortFailed
	}
	return p.say(fmt.Sprintf("I do not know how to %q.", step.Verb))
}

// useTool calls the tool for a step. Where none is offered it says so, and the
// answer ends there as it would have with the call.
func (p *player) useTool(step Step) error {
	// Unique within the conversation, and the same when the request is repeated.
	id := fmt.Sprintf("call_%04d", len(p.req.Messages))
	call, ok := callFor(step, p.req, id)
	if !ok {
		return p.say(fmt.Sprintf("I am offered no tool with which I could %s.", step.Verb))
	}
	p.written += len(call.Args)
	return p.flushed(p.out.call(call))
}

// say answers with a text and the end of its line, so that texts of successive
// steps do not run together.
func (p *player) say(text string) error {
	p.written += len(text)
	return p.flushed(p.out.text(text + "\n"))
}

func (p *player) stream(ctx context.Context, words int, every time.Duration) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for i := range words {
		p.written += 8
		if err := p.flushed(p.out.text(fmt.Sprintf("word%d ", i+1))); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (p *player) chunks(count int) error {
	for i := range count {
		p.written += 8
		if err := p.out.text(fmt.Sprintf("chunk%d ", i+1)); err != nil {
			return err
		}
	}
	return p.out.flush()
}

func (p *player) flushed(err error) error {
	if err != nil {
		return err
	}
	return p.out.flush()
}
