package backends

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"boo/orchestrator"
)

// Memory is whether an agent's session survives its process, tried out.
type Memory struct {
	Kept    bool                `json:"kept"`              // the new process knew the word
	Rung    orchestrator.Rung   `json:"rung,omitempty"`    // how the session came back: "resumed", or "new" if it did not
	Took    orchestrator.Millis `json:"took_ms,omitempty"` // to bring it back
	Problem string              `json:"problem,omitempty"` // why it could not be tried to the end
}

// remember has the agent remember a word, ends it, and asks a new process of
// it that brings the session back.
func (r *Registry) remember(ctx context.Context, session orchestrator.AgentSession, dir orchestrator.WorktreeDir, name orchestrator.AgentName) Memory {
	word := "plum-" + strings.ToLower(rand.Text()[:6])
	if _, err := ask(ctx, session, "This tests your memory. Keep the word below in mind and answer with OK, nothing else.\nremember "+word); err != nil {
		return Memory{Problem: err.Error()}
	}
	used := time.Now()
	if err := session.Close(context.WithoutCancel(ctx)); err != nil {
		return Memory{Problem: err.Error()}
	}
	began := time.Now()
	back, err := r.Start(ctx, orchestrator.SessionRequest{Agent: name, Dir: dir, NativeID: session.Info().NativeID, Had: true, Used: used})
	if err != nil {
		return Memory{Problem: err.Error()}
	}
	m := Memory{Rung: back.Info().Rung, Took: orchestrator.Millis(time.Since(began).Milliseconds())}
	said, err := ask(ctx, back, "Which word did I ask you to keep in mind? Answer with that word, nothing else.\nrecall")
	if err == nil {
		err = back.Close(context.WithoutCancel(ctx))
	} else {
		_ = back.Close(context.WithoutCancel(ctx)) // the error that led here says more
	}
	if err != nil {
		m.Problem = err.Error()
	}
	m.Kept = m.Rung == orchestrator.RungResumed && strings.Contains(strings.ToLower(said), word)
	return m
}

// ask takes one turn and returns what was said.
func ask(ctx context.Context, session orchestrator.AgentSession, prompt string) (string, error) {
	var said strings.Builder
	_, err := session.Prompt(ctx, []string{prompt}, func() error { return nil }, func(ev orchestrator.Event) {
		if ev.Kind == orchestrator.EventText {
			said.WriteString(ev.Text)
		}
	})
	return said.String(), err
}
