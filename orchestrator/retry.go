package orchestrator

import (
	"context"
	"fmt"
)

// continuePrompt is what an agent is sent that shall go on after boo halted it.
const continuePrompt = "Go on with what you were doing before you were stopped. Look first at how far you have come, and do not repeat what is done."

// filled completes a request that stands for something else: the prompt of an
// earlier turn, or going on after one that was halted.
func (e *Engine) filled(ctx context.Context, req SendRequest) (SendRequest, error) {
	if req.Retry != "" && req.ResumeHalted {
		return req, Errorf(CodeInvalid, "a turn is repeated or resumed, not both; nothing was sent")
	}
	switch {
	case req.Retry != "":
		return e.repeating(ctx, req)
	case req.ResumeHalted:
		return e.resuming(ctx, req)
	}
	return req, nil
}

// repeating makes the request that sends a turn's prompt once more. CodeBusy if
// the turn is not over, CodeAtRisk if it was completed and that is not forced.
func (e *Engine) repeating(ctx context.Context, req SendRequest) (SendRequest, error) {
	if req.Prompt != "" || req.New {
		return req, Errorf(CodeInvalid, "a turn is repeated with its own prompt, in its own chat; nothing was sent")
	}
	t, err := e.Store.Turn(ctx, req.Retry)
	if err != nil {
		return req, err
	}
	switch {
	case !t.State.Terminal():
		return req, Errorf(CodeBusy, "turn %s is %s; nothing was sent", t.ID, t.State).WithHint("boo chat wait --turn %s", t.ID)
	case t.State == TurnCompleted && !req.Force:
		return req, Errorf(CodeAtRisk, "turn %s was completed, with %d tool calls: to repeat it may do again what it did; nothing was sent", t.ID, t.Calls).
			WithHint("boo turn retry %s --force", t.ID)
	}
	req.Ref.Prefix, req.Prompt = string(t.Chat), t.Prompt
	if req.Agent == "" {
		req.Agent = t.Agent
	}
	if req.Agent == t.Agent && req.Model == "" {
		req.Model = t.Model
	}
	if req.Agent == t.Agent && req.Mode == "" {
		req.Mode = t.Mode
	}
	return req, nil
}

// resuming makes the request that goes on after the chat's last turn, which was
// halted or has failed. CodeInvalid if it ended otherwise.
func (e *Engine) resuming(ctx context.Context, req SendRequest) (SendRequest, error) {
	if req.New {
		return req, Errorf(CodeInvalid, "a new chat has nothing to resume; nothing was sent")
	}
	chat, err := e.resolve(ctx, req.Ref)
	if err != nil {
		return req, err
	}
	turns, err := e.Store.Turns(ctx, chat.ID)
	if err != nil {
		return req, err
	}
	if len(turns) == 0 {
		return req, Errorf(CodeInvalid, "chat %s has no turn to resume; nothing was sent", chat.ID)
	}
	last := turns[len(turns)-1]
	if last.State == TurnCompleted || !last.State.Terminal() {
		return req, Errorf(CodeInvalid, "turn %s, the last one of chat %s, is %s: there is nothing to resume; nothing was sent", last.ID, chat.ID, last.State).
			WithHint(`boo chat send -c %s "what you want done"`, chat.ID)
	}
	req.Ref.Prefix = string(chat.ID)
	if req.Agent == "" {
		req.Agent = last.Agent
	}
	if req.Agent == last.Agent && req.Model == "" {
		req.Model = last.Model
	}
	if req.Agent == last.Agent && req.Mode == "" {
		req.Mode = last.Mode
	}
	if req.Prompt == "" {
		req.Prompt = continuePrompt
	}
	return req, nil
}

// goOn is the command that goes on after a halt; flags may be "".
func goOn(chat ChatID, flags string) string {
	if flags != "" {
		flags = " " + flags
	}
	return fmt.Sprintf("boo chat send -c %s%s --resume-halted", chat, flags)
}
