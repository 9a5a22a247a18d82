package reaper

import (
	"context"
	"time"
)

// Schedule says when to sweep.
type Schedule interface {
	// Next returns the first moment after t; zero for never.
	Next(t time.Time) time.Time
}

// Every sweeps that long after the sweep before.
type Every time.Duration

// Next implements [Schedule].
func (e Every) Next(t time.Time) time.Time { return t.Add(time.Duration(e)) }

// longestSleep is how long a server sleeps at most: a clock that is set, and a
// machine that was asleep, show only then.
const longestSleep = time.Hour

// Serve calls sweep when the schedule says so, until ctx ends; last is when there
// was a sweep before. It never does at once, so that who starts and ends often
// does little else. sweep is told when it will be called next.
func Serve(ctx context.Context, when Schedule, last time.Time, sweep func(ctx context.Context, next time.Time)) {
	now := time.Now()
	due := when.Next(last)
	if due.IsZero() {
		return
	}
	if soon := now.Add(firstAfter); due.Before(soon) || last.After(now) {
		due = soon // one that was missed is made up for
	}
	for !due.IsZero() {
		timer := time.NewTimer(min(time.Until(due), longestSleep))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		// The wall decides, since people mean it; but one that was set back must not
		// put a sweep off by more than the schedule does.
		now := time.Now().Round(0)
		if next := when.Next(now); next.Before(due) {
			due = next
		}
		if now.Before(due) {
			continue
		}
		due = when.Next(now)
		sweep(ctx, due)
	}
}

// firstAfter is how long after its start a server sweeps at the earliest.
const firstAfter = 30 * time.Second
