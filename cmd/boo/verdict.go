package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"boo/orchestrator"
)

// verdict gathers from a turn's events what its end means for whoever waits for
// it. The same end has the same exit status in every command.
type verdict struct {
	chat  orchestrator.ChatID
	turn  orchestrator.TurnID
	agent orchestrator.AgentName

	end     *orchestrator.Event // once it was there
	summary *orchestrator.TurnSummary
}

func (v *verdict) note(ev orchestrator.Event) {
	v.chat, v.agent = ev.Chat, cmp.Or(v.agent, ev.Agent)
	if ev.Summary != nil {
		v.summary = ev.Summary
	}
	if ev.Kind == orchestrator.EventTurn && ev.State.Terminal() {
		v.end = &ev
	}
}

// pending is how many changes were pending after the turn.
func (v *verdict) pending() int {
	if v.summary == nil {
		return 0
	}
	return v.summary.Pending
}

// fault says whose a failure was.
func (v *verdict) fault() orchestrator.Code {
	if v.summary == nil {
		return ""
	}
	return v.summary.Code
}

// follow hears the turn to its end without showing it.
func (v *verdict) follow(ctx context.Context, svc orchestrator.Service) error {
	return svc.Follow(ctx, v.turn, 0, func(ev orchestrator.Event) error {
		v.note(ev)
		return nil
	})
}

// result turns the end of the turn into the error that tells the exit status.
func (v *verdict) result(followed error) error {
	if followed != nil && v.end == nil {
		if errors.Is(followed, context.Canceled) {
			return errStopped()
		}
		return followed
	}
	if v.end == nil {
		return orchestrator.Errorf(orchestrator.CodeUnverified, "the events of turn %s ended before it did", v.turn).WithHint("boo chat show")
	}
	reason, hint := v.end.Text, v.end.Hint
	message := fmt.Sprintf("the turn was %s: %s", v.end.State, reason)
	code := orchestrator.CodeAgent
	next := "boo chat show " + string(v.chat)
	switch v.end.State {
	case orchestrator.TurnCompleted:
		return nil
	case orchestrator.TurnFailed:
		message = fmt.Sprintf("%s failed: %s", v.agent, reason)
		if v.fault() != "" && v.fault() != orchestrator.CodeAgent { // not the agent's
			message, code = fmt.Sprintf("the turn failed: %s", reason), v.fault()
		}
	case orchestrator.TurnCancelled:
		code = orchestrator.CodeInterrupted
		if v.pending() > 0 {
			next = "boo pending show"
		}
		message = "the turn was " + cmp.Or(reason, "stopped")
	}
	return orchestrator.Errorf(code, "%s", message).WithHint("%s", cmp.Or(hint, next))
}
