package orchestrator

import "context"

// Step is a checkpoint that is stored with a batch of events. The store fills
// in its generation, high-water mark and digest.
type Step struct {
	Event int // index in the batch of the event that tells of the call
	Checkpoint
}

// steps lists the checkpoints before the tool calls that begin in a batch.
func (r *recorder) steps(batch []Event) ([]Step, error) {
	var steps []Step
	for i, ev := range batch {
		if ev.Kind != EventTool {
			continue
		}
		if begins, _ := r.calls.note(ev.Tool); !begins {
			continue
		}
		step := Step{Event: i, Checkpoint: Checkpoint{
			Chat: r.turn.Chat, Agent: r.turn.Agent, Turn: r.turn.ID, NativeID: r.of.NativeID, Tree: r.tree, Status: CheckpointInProgress, At: ev.At,
		}}
		step.Open, step.More = r.calls.unfinished()
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return nil, nil
	}
	if r.last < 0 {
		var err error
		if r.last, err = r.e.Store.LastStep(context.Background(), r.of); err != nil {
			return nil, err
		}
	}
	for i := range steps {
		r.last++
		steps[i].Step = r.last
	}
	return steps, nil
}

// begins reports whether an event tells of a tool call that nothing stored has
// told of: it is stored at once, so that little can happen before.
func (r *recorder) begins(ev Event) bool { return ev.Kind == EventTool && !r.calls.knows(ev.Tool) }
