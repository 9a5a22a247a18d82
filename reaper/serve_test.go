package reaper_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"boo/reaper"
)

func TestSweepsComeWhenTheScheduleSays(t *testing.T) {
	for name, c := range map[string]struct {
		last  time.Duration // before now; 0 for never
		first time.Duration
	}{
		"never before":    {0, 30 * time.Second},
		"one was missed":  {time.Hour, 30 * time.Second},
		"one was just":    {time.Minute, 9 * time.Minute},
		"one is to come?": {-time.Hour, 30 * time.Second}, // the clock was set back
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var last time.Time
				if c.last != 0 {
					last = began.Add(-c.last)
				}
				ctx, cancel := context.WithCancel(t.Context())
				var at []time.Duration
				reaper.Serve(ctx, reaper.Every(10*time.Minute), last, func(_ context.Context, next time.Time) {
					at = append(at, time.Since(began))
					if until := time.Until(next); until != 10*time.Minute {
						t.Errorf("the next is said to come after %v", until)
					}
					if len(at) == 3 {
						cancel()
					}
				})
				for i, when := range at {
					if want := c.first + time.Duration(i)*10*time.Minute; when != want {
						t.Errorf("sweep %d after %v, want %v", i, when, want)
					}
				}
			})
		})
	}
}
