package reaper_test

import (
	"testing"
	"time"

	"boo/orchestrator"
)

func TestAClosedWorktreeGoesAfterItsGraceAndComesBack(t *testing.T) {
	b := newBroom(t)
	before := b.all()
	if b.sweep(); b.state() != orchestrator.WorktreeActive {
		t.Fatalf("at once it is %s", b.state())
	}
	b.clock.pass(59 * time.Minute)
	if b.sweep(); b.state() != orchestrator.WorktreeActive {
		t.Fatalf("within its grace it is %s", b.state())
	}
	b.clock.pass(10 * time.Minute)
	if done := b.sweep(); b.state() != orchestrator.WorktreeArchived || done.Counts[orchestrator.SweepArchive] != 1 {
		t.Fatalf("after that it is %s: %v", b.state(), done.Counts)
	}
	must(t, b.do(t.Context(), "restore", b.wt.Chat))
	b.same(before)
}
