package reaper

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// Clock tells the time twice: as the wall says, which people set, and since the
// machine's boot, which nobody does.
type Clock interface {
	// Read returns a reading without Steady.
	Read() (orchestrator.ClockReading, error)
}

// System is the machine's clock.
type System struct{}

// Read implements [Clock].
func (System) Read() (c orchestrator.ClockReading, err error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return c, fmt.Errorf("read the clock: %w", err)
	}
	var up unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &up); err != nil {
		return c, fmt.Errorf("read the clock: %w", err)
	}
	return orchestrator.ClockReading{Boot: strings.TrimSpace(string(boot)), Up: time.Duration(up.Nano()), Wall: time.Now().UTC()}, nil
}

// A wall clock that is off by no more between two looks was not set, but drifts.
const drift = time.Minute

// steadied completes a reading by what the one before it says: since when the
// wall clock can be trusted to count. Zero is for ever. It is not trusted beyond
// the moment at which it was found to have been set, in either direction; the
// time without power is believed, as nobody can know better, but only if the
// clock went on.
func steadied(last, now orchestrator.ClockReading) orchestrator.ClockReading {
	now.Steady = last.Steady
	if last.Boot == "" {
		return now
	}
	passed := now.Wall.Sub(last.Wall)
	jumped := passed < -drift
	if now.Boot == last.Boot {
		off := passed - (now.Up - last.Up)
		jumped = off > drift || off < -drift
	}
	if jumped {
		now.Steady = now.Wall
	}
	return now
}

// age is how long ago something was, as far as the clock can be trusted: never
// more than it has gone steadily. What is in the future is of this moment.
func age(c orchestrator.ClockReading, at time.Time) time.Duration {
	if at.Before(c.Steady) {
		at = c.Steady
	}
	return max(0, c.Wall.Sub(at))
}
