package store_test

import (
	"testing"
	"time"

	"boo/orchestrator"
)

func TestTheLogOfTheReaperIsBounded(t *testing.T) {
	f := newFixture(t)
	var last int64
	for range 2 {
		id, err := f.BeginSweep(f.ctx, orchestrator.Sweep{Started: moment})
		must(t, err)
		steps := make([]orchestrator.SweepStep, 6000)
		for i := range steps {
			steps[i] = orchestrator.SweepStep{Sweep: id, At: moment, Action: orchestrator.SweepHold, Chat: f.chat, Path: "/p\xff", Reason: "r"}
		}
		must(t, f.AddSweepSteps(f.ctx, steps))
		must(t, f.EndSweep(f.ctx, orchestrator.Sweep{
			ID: id, Ended: moment, Freed: 7, Counts: map[orchestrator.SweepAction]int{orchestrator.SweepArchive: 2},
		}))
		last = id
	}
	begun, err := f.BeginSweep(f.ctx, orchestrator.Sweep{Started: moment})
	must(t, err)
	steps, err := f.SweepSteps(f.ctx, f.chat, 0)
	must(t, err)
	equal(t, "steps", len(steps), 10_000)
	equal(t, "the newest", steps[len(steps)-1], orchestrator.SweepStep{
		Sweep: last, At: moment, Action: orchestrator.SweepHold, Chat: f.chat, Path: "/p\xff", Reason: "r",
	})
	archived, freed, err := f.SweepTotals(f.ctx)
	must(t, err)
	equal(t, "totals", []int64{int64(archived), freed}, []int64{4, 14})
	cut, err := f.LastSweep(f.ctx)
	must(t, err)
	if !cut.Ended.IsZero() {
		t.Errorf("a sweep that has not ended: %+v", cut)
	}
	must(t, f.AddSweepSteps(f.ctx, []orchestrator.SweepStep{{Sweep: begun, At: moment, Action: orchestrator.SweepArchive, Chat: f.chat}}))
	archived, _, err = f.SweepTotals(f.ctx)
	must(t, err)
	equal(t, "archived, with what one that was cut off has", archived, 5)
}

func TestAHoldIsReplacedAndDropped(t *testing.T) {
	f := newFixture(t)
	hold := orchestrator.Hold{
		Name: string(f.chat), Path: "/w\xff", Since: moment, Checked: moment, Next: moment.Add(time.Hour), Checks: 1,
		Risks: []orchestrator.Risk{{Kind: orchestrator.RiskUnpushed, Detail: "d", Count: 3, Since: moment}},
	}
	must(t, f.PutHold(f.ctx, hold))
	hold.Checks = 2
	must(t, f.PutHold(f.ctx, hold))
	holds, err := f.Holds(f.ctx)
	must(t, err)
	equal(t, "holds", holds, []orchestrator.Hold{hold})
	must(t, f.DropHold(f.ctx, hold.Name))
	must(t, f.DropHold(f.ctx, hold.Name))
	holds, err = f.Holds(f.ctx)
	must(t, err)
	equal(t, "holds", len(holds), 0)
}

func TestTheReapersClockIsRemembered(t *testing.T) {
	f := newFixture(t)
	before, _, err := f.Clock(f.ctx)
	must(t, err)
	equal(t, "before the first time", before, orchestrator.ClockReading{})
	c := orchestrator.ClockReading{Boot: "b", Up: time.Hour, Wall: moment, Steady: moment.Add(-time.Minute)}
	must(t, f.PutClock(f.ctx, c, moment.Add(time.Minute)))
	got, next, err := f.Clock(f.ctx)
	must(t, err)
	equal(t, "clock", got, c)
	equal(t, "next", next, moment.Add(time.Minute))
}
