package store_test

import (
	"fmt"
	"slices"
	"testing"

	"boo/orchestrator"
)

// tool is an event that tells of a tool call.
func tool(turn orchestrator.TurnID, id string) orchestrator.Event {
	return orchestrator.Event{Turn: turn, Kind: orchestrator.EventTool, At: moment, Tool: &orchestrator.ToolCall{ID: id, Title: "do " + id, Status: "pending"}}
}

// session is goose's, in a generation.
func (f fixture) session(generation int64) orchestrator.Session {
	return orchestrator.Session{Chat: f.chat, Agent: "goose", NativeID: "n-1", State: orchestrator.SessionBusy, Generation: generation}
}

// step stores a tool call with the checkpoint before it.
func (f fixture) step(step int64) error {
	_, err := f.AppendTold(f.ctx, f.session(0), []orchestrator.Event{tool(f.turn.ID, fmt.Sprint(step))}, []orchestrator.Step{f.newStep(step)})
	return err
}

func (f fixture) newStep(step int64) orchestrator.Step {
	return orchestrator.Step{Checkpoint: orchestrator.Checkpoint{
		Chat: f.chat, Agent: "goose", Turn: f.turn.ID, Step: step, NativeID: "n-1", Tree: base, Status: orchestrator.CheckpointInProgress, At: moment,
		Open: []orchestrator.OpenCall{{ID: fmt.Sprint(step), Kind: "execute", Title: "<do> it", Input: `{"a":1}`}}, More: 2,
	}}
}

func (f fixture) listed(t testing.TB, q orchestrator.CheckpointQuery) []orchestrator.StoredCheckpoint {
	t.Helper()
	list, err := f.Checkpoints(f.ctx, q)
	must(t, err)
	return list
}

func TestACheckpointComesBackWhole(t *testing.T) {
	f := newFixture(t)
	must(t, f.PutSession(f.ctx, f.session(0)))
	must(t, f.step(1))
	got, bad, err := f.LatestCheckpoint(f.ctx, f.chat, "goose")
	must(t, err)
	want := f.newStep(1).Checkpoint
	want.Seq, want.Digest = 2, got.Digest
	equal(t, "the checkpoint", got, want)
	if len(bad) > 0 || got.Fault() != "" || !got.Recoverable() {
		t.Errorf("bad %v, fault %q", bad, got.Fault())
	}
}

func TestAStepFollowsOnTheNewestOne(t *testing.T) {
	f := newFixture(t)
	must(t, f.PutSession(f.ctx, f.session(0)))
	wantCode(t, orchestrator.CodeConflict, f.step(2))
	must(t, f.step(1))
	must(t, f.step(2))
	wantCode(t, orchestrator.CodeConflict, f.step(2))
	if got := len(f.events(t)); got != 3 {
		t.Errorf("%d events: those of a refused step are stored", got)
	}
	last, err := f.LastStep(f.ctx, f.session(0))
	if err != nil || last != 2 {
		t.Errorf("the last step is %d, %v", last, err)
	}
	_, err = f.ResetSessions(f.ctx, orchestrator.SessionReset{Chat: f.chat, Agents: []orchestrator.AgentName{"goose"}})
	must(t, err)
	wantCode(t, orchestrator.CodeConflict, f.step(3))
	_, _, err = f.LatestCheckpoint(f.ctx, f.chat, "goose")
	wantCode(t, orchestrator.CodeNotFound, err)
	if list := f.listed(t, orchestrator.CheckpointQuery{Chat: f.chat}); len(list) != 2 {
		t.Errorf("%d checkpoints are kept of the old generation", len(list))
	}
}

func TestTheEndOfATurnIsACheckpoint(t *testing.T) {
	f := newFixture(t)
	f.run(t, f.turn.ID)
	must(t, f.PutSession(f.ctx, f.session(0)))
	must(t, f.step(1))
	events, err := f.EndTurn(f.ctx, orchestrator.TurnEnd{
		Turn: f.turn.ID, State: orchestrator.TurnHalted, Note: "look first",
		Checkpoint: &orchestrator.Checkpoint{Tree: base, Status: orchestrator.CheckpointHalted, Reason: "loop: again"},
	})
	must(t, err)
	got, _, err := f.LatestCheckpoint(f.ctx, f.chat, "goose")
	must(t, err)
	if got.Step != 2 || got.Seq != events[1].Seq || got.Name() != "halted(loop)" || got.NativeID != "n-1" || got.Turn != f.turn.ID || got.Recoverable() {
		t.Errorf("checkpoint %+v", got)
	}
	notes, err := f.Notes(f.ctx, f.chat, "goose")
	if err != nil || len(notes) != 1 || notes[0].Text != "look first" {
		t.Errorf("notes %v, %v", notes, err)
	}
}

func TestADamagedCheckpointIsSetAside(t *testing.T) {
	for column, value := range map[string]any{
		"seq": 7, "status": "completed", "tree": "beef", "reason": "x", "calls": "[{]", "more": 0, "native_id": "n-2", "digest": "", "turn_id": nil, "at_ms": 1,
	} {
		t.Run(column, func(t *testing.T) {
			f := newFixture(t)
			must(t, f.PutSession(f.ctx, f.session(0)))
			for step := range int64(4) {
				must(t, f.step(step+1))
			}
			if column == "turn_id" {
				value = f.enqueue(t, "goose").ID
			}
			must(t, f.Exec(f.ctx, "UPDATE checkpoints SET "+column+" = ? WHERE step >= 3", value))
			for _, want := range []int{2, 0} { // they are told of once
				got, bad, err := f.LatestCheckpoint(f.ctx, f.chat, "goose")
				must(t, err)
				if got.Step != 2 || len(bad) != want {
					t.Fatalf("step %d, bad %v", got.Step, bad)
				}
			}
			if list := f.listed(t, orchestrator.CheckpointQuery{Chat: f.chat, Step: 4}); len(list) != 1 || !list[0].Aside {
				t.Errorf("it is not kept: %+v", list)
			}
			wantCode(t, orchestrator.CodeConflict, f.step(3)) // no number is used twice
			must(t, f.step(5))
		})
	}
}

func TestALostCheckpointComesBackWhereItBelongs(t *testing.T) {
	f := newFixture(t)
	must(t, f.PutSession(f.ctx, f.session(0)))
	must(t, f.step(1))
	must(t, f.step(2))
	put := func(c orchestrator.Checkpoint) (bool, error) { return f.PutCheckpoint(f.ctx, c) }
	c := f.listed(t, orchestrator.CheckpointQuery{Step: 2})[0].Checkpoint
	if stored, err := put(c); stored || err != nil {
		t.Errorf("one that is there: %v, %v", stored, err)
	}
	other := c
	other.Reason = "another"
	other.Digest = other.Sum()
	_, err := put(other)
	wantCode(t, orchestrator.CodeConflict, err)
	must(t, f.Exec(f.ctx, "UPDATE checkpoints SET seq = 99 WHERE step = 2"))
	if stored, err := put(c); !stored || err != nil {
		t.Errorf("in the place of a damaged one: %v, %v", stored, err)
	}
	must(t, f.Exec(f.ctx, "DELETE FROM checkpoints"))
	if stored, err := put(c); !stored || err != nil {
		t.Errorf("one that was lost: %v, %v", stored, err)
	}
	equal(t, "stored", f.listed(t, orchestrator.CheckpointQuery{})[0].Checkpoint, c)
	for what, change := range map[string]func(*orchestrator.Checkpoint){
		"a turn":       func(c *orchestrator.Checkpoint) { c.Turn = "t00000000z" },
		"an agent":     func(c *orchestrator.Checkpoint) { c.Agent = "qwen" },
		"events":       func(c *orchestrator.Checkpoint) { c.Seq = 99 },
		"a generation": func(c *orchestrator.Checkpoint) { c.Generation = 1 },
	} {
		c := c
		change(&c)
		if _, err := put(c); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
			t.Errorf("%s that is not there: %v", what, err)
		}
	}
}

func TestOldCheckpointsAreDropped(t *testing.T) {
	f := newFixture(t)
	must(t, f.PutSession(f.ctx, f.session(0)))
	for step := range int64(5) {
		must(t, f.step(step+1))
	}
	must(t, f.Exec(f.ctx, "INSERT INTO checkpoints SELECT chat_id, agent, 1, step, turn_id, seq, native_id, tree, status, reason, at_ms, calls, more, digest, 0 FROM checkpoints"))
	dropped, err := f.DropCheckpoints(f.ctx, f.chat, "", 2)
	must(t, err)
	var left []string
	for _, c := range f.listed(t, orchestrator.CheckpointQuery{Chat: f.chat}) {
		left = append(left, fmt.Sprint(c.Generation, ".", c.Step))
	}
	if want := []string{"1.5", "1.4", "0.5"}; dropped != 7 || !slices.Equal(left, want) {
		t.Errorf("%d dropped, left %v, want %v", dropped, left, want)
	}
}
