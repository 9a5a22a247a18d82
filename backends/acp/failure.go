package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"boo/orchestrator"
)

// tailBytes bounds what an error repeats of what the agent wrote beside the
// protocol.
const tailBytes = 4 << 10

// exitTime is what an agent whose output has ended gets to exit by itself, so
// that its own exit status can be told.
const exitTime = 2 * time.Second

// bury ends what is left of the agent, waits for the rest of its output and
// says how it ended, or why it had to be.
func (a *agent) bury(ctx context.Context, cause error) string {
	own := !errors.Is(cause, errDeaf)
	if own {
		select {
		case <-a.child.Done():
		case <-time.After(exitTime):
			own = false
		}
	}
	if err := a.child.End(ctx, killGrace); err != nil {
		return fmt.Sprintf("%v, and it cannot be ended: %v", cause, err)
	}
	_ = a.drain(ctx) // nothing more can be done about output that stays open
	if own {
		return a.child.Exit().String()
	}
	return cause.Error()
}

// obituary is the error of an agent that broke off in mid-turn; end says how.
func (a *agent) obituary(end string) error {
	return orchestrator.Errorf(orchestrator.CodeAgent, "agent %s: %w (%s)%s", a.def.Name, orchestrator.ErrAgentDied, end, a.tail()).
		WithHint("boo agents doctor %s", a.def.Name)
}

// tail returns what the agent last wrote beside the protocol, to stand at the
// end of an error.
func (a *agent) tail() string {
	a.conn.mu.Lock()
	noise := string(a.conn.noise)
	a.conn.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(a.child.Stderr(), "\uFFFD") + "\n" + strings.ToValidUTF8(noise, "\uFFFD"))
	if text == "" {
		return ""
	}
	if over := len(text) - tailBytes; over > 0 {
		text = strings.ToValidUTF8(text[over:], "")
	}
	return "; it last wrote: " + text
}

// explain turns the failure of a step into the error that a person sees.
func (a *agent) explain(step string, err error) error {
	name := a.def.Name
	if refusal, ok := errors.AsType[*rpcError](err); ok {
		text := refusal.Error()
		for _, setup := range a.def.Quirks.Setup {
			if strings.Contains(text, setup.Match) {
				e := orchestrator.Errorf(orchestrator.CodeAgent, "%s (it said: %s)", setup.Msg, text)
				return e.WithHint("%s", setup.Hint)
			}
		}
		return orchestrator.Errorf(orchestrator.CodeAgent, "agent %s could not %s: %s", name, step, text).
			WithHint("boo agents doctor %s", name)
	}
	switch {
	case errors.Is(err, errSilent), errors.Is(err, errStalled):
		return orchestrator.Errorf(orchestrator.CodeAgent, "agent %s did not %s: %w%s", name, step, err, a.tail()).
			WithHint("boo agents doctor %s", name)
	case errors.Is(err, errEnded), errors.Is(err, errDeaf), errors.Is(err, errUnread):
		end := a.bury(context.Background(), err)
		return orchestrator.Errorf(orchestrator.CodeAgent, "agent %s ended before it could %s (%s)%s", name, step, end, a.tail()).
			WithHint("boo agents doctor %s", name)
	}
	if errors.Is(err, context.Canceled) {
		return orchestrator.Errorf(orchestrator.CodeInterrupted, "stopped before agent %s could %s: %w", name, step, err)
	}
	return fmt.Errorf("have agent %s %s: %w", name, step, err)
}
