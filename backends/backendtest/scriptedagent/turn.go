package scriptedagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"boo/backends/backendtest/scriptedmodel"
)

// turn is one prompt that is being played.
type turn struct {
	agent   *agent
	session *session
	id      json.RawMessage // of the request that it answers
	stop    string
	said    strings.Builder
	calls   int
	twice   bool // answer twice
	trail   int  // updates after the answer
}

// run plays the prompt and answers it.
func (t *turn) run(ctx context.Context, text string) {
	err := t.session.append("user", text)
	for _, play := range parse(text) {
		if err != nil {
			break
		}
		err = play(ctx, t)
		if err == nil && !t.agent.deaf.Load() {
			err = ctx.Err()
		}
	}
	if err := t.session.append("agent", t.said.String()); err != nil {
		fmt.Fprintln(os.Stderr, "boo-agent: remember the turn:", err)
	}
	t.agent.mu.Lock()
	delete(t.agent.running, t.session.id)
	t.agent.mu.Unlock()
	if err := t.answer(err); err != nil {
		fmt.Fprintln(os.Stderr, "boo-agent: answer:", err)
	}
}

func (t *turn) answer(err error) error {
	if refusal, ok := errors.AsType[*rpcError](err); ok {
		return t.agent.out.refuse(t.id, refusal)
	}
	switch {
	case errors.Is(err, context.Canceled):
		t.stop = "cancelled"
	case err != nil:
		return t.agent.out.refuse(t.id, &rpcError{Code: codeInternal, Message: err.Error()})
	}
	output := t.said.Len()/4 + 1
	result := object{"stopReason": t.stop, "usage": object{"totalTokens": 100 + output, "inputTokens": 100, "outputTokens": output}}
	if err := t.agent.out.answer(t.id, result); err != nil {
		return err
	}
	if t.twice {
		if err := t.agent.out.answer(t.id, result); err != nil {
			return err
		}
	}
	for i := range t.trail {
		if err := t.update(chunk("agent_message_chunk", fmt.Sprintf("trail%d ", i+1))); err != nil {
			return err
		}
	}
	return nil
}

// step is one step of a script, ready to be played.
type step func(context.Context, *turn) error

// parse reads the script of a prompt. A step that is none of this package's is
// one of the model's language; where there is no step at all, one is made.
func parse(text string) []step {
	script := scriptedmodel.Split(text)
	var steps []step
	for _, part := range script {
		verb, rest, _ := strings.Cut(part, " ")
		if knob, ok := knobs[verb]; ok {
			steps = append(steps, func(ctx context.Context, t *turn) error { return knob(ctx, t, strings.TrimSpace(rest)) })
			continue
		}
		for _, s := range scriptedmodel.Parse(part) {
			steps = append(steps, func(ctx context.Context, t *turn) error { return t.play(ctx, s) })
		}
	}
	if steps == nil {
		steps = []step{func(_ context.Context, t *turn) error { return t.say("I am a scripted agent.") }}
	}
	return steps
}

func chunk(kind, text string) object {
	return object{"sessionUpdate": kind, "content": object{"type": "text", "text": text}}
}

func (t *turn) update(u object) error { return t.agent.out.update(t.session.id, u, true) }

func (t *turn) say(text string) error {
	t.said.WriteString(text + "\n")
	return t.update(chunk("agent_message_chunk", text+"\n"))
}
