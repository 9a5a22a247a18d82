package reaper_test

import (
	"testing"
	"time"

	"boo/orchestrator"
)

// before has something done once, before a step of the next sweep.
func (b *broom) before(step string, do func()) (done *bool) {
	done = new(bool)
	at := func(s string) {
		if s == step && !*done {
			*done = true
			do()
		}
	}
	b.sweeper.OnStep(at)
	b.archiver.OnStep(at)
	return done
}

// A turn that comes before the verdict keeps the worktree; one that comes later
// has it back.
func TestATurnMayComeBeforeAnyStepOfASweep(t *testing.T) {
	b := newBroom(t)
	all := b.all()
	for _, c := range []struct {
		step string
		want orchestrator.WorktreeState
	}{
		{"chats", orchestrator.WorktreeActive},
		{"judge", orchestrator.WorktreeActive}, {"retire", orchestrator.WorktreeActive},
		{"plan", orchestrator.WorktreeArchived}, {"closing", orchestrator.WorktreeArchived}, {"rename", orchestrator.WorktreeArchived},
		{"look", orchestrator.WorktreeArchived}, {"keep", orchestrator.WorktreeArchived}, {"archived", orchestrator.WorktreeArchived},
		{"finish", orchestrator.WorktreeArchived}, {"dead", orchestrator.WorktreeArchived}, {"orphans", orchestrator.WorktreeArchived},
	} {
		turn := orchestrator.Turn{ID: orchestrator.NewTurnID(), Chat: b.wt.Chat, Agent: "goose", Prompt: "y", State: orchestrator.TurnQueued, Sent: time.Now()}
		done := b.before(c.step, func() {
			_, err := b.db.Enqueue(t.Context(), turn, nil)
			must(t, err)
		})
		b.age()
		b.clock.pass(24 * time.Hour) // whatever was held is looked at again
		if b.sweep(); b.state() != c.want || !*done {
			t.Fatalf("a turn before %s (%v): it is %s, want %s", c.step, *done, b.state(), c.want)
		}
		if c.want == orchestrator.WorktreeArchived {
			must(t, b.do(t.Context(), "restore", b.wt.Chat))
		}
		b.same(all)
		_, err := b.db.EndTurn(t.Context(), orchestrator.TurnEnd{Turn: turn.ID, State: orchestrator.TurnFailed})
		must(t, err)
		for _, to := range []orchestrator.ChatState{orchestrator.ChatClosing, orchestrator.ChatClosed} { // the turn has opened it
			must(t, b.db.MoveChat(t.Context(), orchestrator.ChatMove{Chat: b.wt.Chat, From: []orchestrator.ChatState{orchestrator.ChatOpen, orchestrator.ChatClosing}, To: to}))
		}
	}
}

// Only the machine's own time counts, whatever the clock on the wall says, and
// however often it says something else.
func TestTheClockMayBeSetBeforeAnyStepOfASweep(t *testing.T) {
	const year = 365 * 24 * time.Hour
	b := newBroom(t)
	all := b.all()
	for _, by := range []time.Duration{year, -year} {
		b.sweep() // as long as a leap is news nothing is old
		b.clock.pass(2 * time.Hour)
		leaps := 0
		leap := func(string) { leaps++; b.clock.set(by) }
		b.sweeper.OnStep(leap)
		b.archiver.OnStep(leap)
		for range 2 { // the second one must not take what has just been archived for old
			if b.sweep(); b.state() != orchestrator.WorktreeArchived {
				t.Fatalf("%d leaps of %v: it is %s", leaps, by, b.state())
			}
		}
		b.sweeper.OnStep(func(string) {})
		b.archiver.OnStep(func(string) {})
		must(t, b.do(t.Context(), "restore", b.wt.Chat))
		b.same(all)
		if b.sweep(); b.state() != orchestrator.WorktreeActive || leaps < 20 {
			t.Fatalf("after %d leaps of %v, back for no time: it is %s", leaps, by, b.state())
		}
	}
}
