package scriptedagent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"boo/backends/backendtest/scriptedmodel"
)

// play plays one step of the model's language, as an agent whose model and
// tools are its own.
func (t *turn) play(ctx context.Context, s scriptedmodel.Step) error {
	switch s.Verb {
	case scriptedmodel.Say:
		return t.say(s.Text)
	case scriptedmodel.Think:
		return t.update(chunk("agent_thought_chunk", s.Text+"\n"))
	case scriptedmodel.Remember:
		return t.say("I will remember " + s.Text + ".")
	case scriptedmodel.Recall:
		if word := scriptedmodel.Remembered(t.session.prompts()); word != "" {
			return t.say("You asked me to remember " + word + ".")
		}
		return t.say("I remember nothing.")
	case scriptedmodel.Plan:
		return t.plan(s.List)
	case scriptedmodel.Stream:
		return t.stream(ctx, s.Count, s.Every)
	case scriptedmodel.Chunks:
		return t.flood(s.Count)
	case scriptedmodel.Bytes:
		return t.say(strings.Repeat("a", s.Count))
	case scriptedmodel.Hang, scriptedmodel.Stall:
		return t.hang(ctx)
	case scriptedmodel.Write, scriptedmodel.Edit, scriptedmodel.Run:
		return t.tool(ctx, s)
	}
	return t.say(fmt.Sprintf("An agent does not %s.", s.Verb))
}

func (t *turn) plan(list []string) error {
	entries := make([]object, len(list))
	for i, text := range list {
		status := "pending"
		if i == 0 {
			status = "in_progress"
		}
		entries[i] = object{"content": text, "priority": "medium", "status": status}
	}
	return t.update(object{"sessionUpdate": "plan", "entries": entries})
}

func (t *turn) stream(ctx context.Context, words int, every time.Duration) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for i := range words {
		if err := t.update(chunk("agent_message_chunk", fmt.Sprintf("word%d ", i+1))); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-t.cancelled(ctx):
			return ctx.Err()
		}
	}
	return nil
}

// cancelled is ctx's channel, or one that never closes for a deaf agent.
func (t *turn) cancelled(ctx context.Context) <-chan struct{} {
	if t.agent.deaf.Load() {
		return nil
	}
	return ctx.Done()
}

func (t *turn) hang(ctx context.Context) error {
	<-t.cancelled(ctx)
	return ctx.Err()
}

// flood sends chunks as fast as they are taken.
func (t *turn) flood(chunks int) error {
	for i := range chunks {
		if err := t.agent.out.update(t.session.id, chunk("agent_message_chunk", fmt.Sprintf("chunk%d ", i+1)), false); err != nil {
			return err
		}
	}
	return t.agent.out.raw("")
}

// tool plays a step as a tool call, from pending to its end.
func (t *turn) tool(ctx context.Context, s scriptedmodel.Step) error {
	t.calls++
	id := fmt.Sprintf("call-%d-%d", len(t.session.log), t.calls)
	path := filepath.Join(t.session.cwd, s.Path)
	kind, title, input := "edit", string(s.Verb)+" "+s.Path, object{"path": path}
	if s.Verb == scriptedmodel.Run {
		kind, title, input = "execute", s.Text, object{"command": s.Text}
	}
	call := object{"sessionUpdate": "tool_call", "toolCallId": id, "title": title, "kind": kind, "status": "pending", "rawInput": input}
	if kind == "edit" {
		call["locations"] = []object{{"path": path}}
	}
	if err := t.update(call); err != nil {
		return err
	}
	if err := t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "in_progress"}); err != nil {
		return err
	}
	content, err := t.act(ctx, s, path)
	status := "completed"
	if err != nil {
		status, content = "failed", object{"type": "content", "content": object{"type": "text", "text": err.Error()}}
	}
	return t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status, "content": []object{content}})
}

// act does what a tool call says and returns its content.
func (t *turn) act(ctx context.Context, s scriptedmodel.Step, path string) (object, error) {
	if s.Verb == scriptedmodel.Run {
		status, err := shell(t.cancelled(ctx), t.session.cwd, s.Text)
		return object{"type": "content", "content": object{"type": "text", "text": "it ended with " + status}}, err
	}
	diff := object{"type": "diff", "path": path, "newText": s.Text}
	if s.Verb == scriptedmodel.Edit {
		before, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if !strings.Contains(string(before), s.Old) {
			return nil, fmt.Errorf("%s does not have %q", s.Path, s.Old)
		}
		after := strings.Replace(string(before), s.Old, s.Text, 1)
		diff["oldText"], diff["newText"] = string(before), after
		return diff, os.WriteFile(path, []byte(after), 0o644)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return diff, os.WriteFile(path, []byte(s.Text), 0o644)
}
