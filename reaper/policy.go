package reaper

import (
	"fmt"
	"slices"
	"time"

	"boo/orchestrator"
)

// Rules are what a person has laid down. Zero durations and sizes are "never".
type Rules struct {
	Grace     time.Duration // from the last use of anything to its removal
	Idle      time.Duration // after which the worktree of an open chat goes; 0 for never
	Retention time.Duration // of archives
	Disk      int64         // bytes that all worktrees and archives may take; 0 for no bound
}

// DefaultRules are those without a configuration.
func DefaultRules() Rules { return Rules{Grace: time.Hour, Retention: 30 * 24 * time.Hour} }

// move is what is to be done about one chat.
type move string

const (
	leave  move = ""       // nothing
	undo   move = "undo"   // half made: what there is of it goes
	lose   move = "lose"   // its directory is gone
	retire move = "retire" // its time has come, if nothing is at risk
)

// subject is what is known of a chat before its files are looked at.
type subject struct {
	orchestrator.SweepChat
	there bool // something stands at the place of its directory
	trace bool // something else is left of its making
}

// decide says what is to be done about a chat, by what is cheap to know, and why.
func (r Rules) decide(c orchestrator.ClockReading, s subject) (move, string) {
	switch {
	case s.Busy:
		return leave, ""
	case s.Worktree.State == orchestrator.WorktreeCreating:
		if (s.there || s.trace) && r.since(c, latest(s.UsedAt, s.Worktree.CreatedAt)) >= r.Grace {
			return undo, "it was not finished, and nobody is at it"
		}
		return leave, ""
	case s.Worktree.State != orchestrator.WorktreeActive:
		return leave, ""
	case !s.there:
		return lose, "its directory is gone; its snapshots are kept"
	}
	why, bound := r.over(s.SweepChat)
	if why == "" || r.since(c, latest(s.UsedAt, s.ClosedAt)) < bound {
		return leave, ""
	}
	return retire, why
}

// since is how long ago something was. Shortly after the machine's start it is
// no more than that is ago: the clock may not be set yet.
func (r Rules) since(c orchestrator.ClockReading, at time.Time) time.Duration {
	if c.Up < r.Grace {
		return min(age(c, at), c.Up)
	}
	return age(c, at)
}

// over says why the time of a worktree can come, and how long it must have been
// out of use for that.
func (r Rules) over(s orchestrator.SweepChat) (why string, bound time.Duration) {
	switch {
	case slices.Contains([]orchestrator.ChatState{orchestrator.ChatClosed, orchestrator.ChatArchived}, s.State):
		return "its chat is closed", r.Grace
	case s.State == orchestrator.ChatOpen && r.Idle > 0:
		return "its chat has been idle", max(r.Idle, r.Grace)
	}
	return "", 0
}

// inUse says how long ago a worktree was used, if that is not long enough; "" if
// its time has come. use is what the files tell.
func (r Rules) inUse(c orchestrator.ClockReading, s orchestrator.SweepChat, use time.Time) string {
	_, bound := r.over(s)
	if since := r.since(c, latest(use, s.UsedAt, s.ClosedAt)); bound == 0 || since < bound {
		return fmt.Sprintf("it was in use %s ago", since.Round(time.Second))
	}
	return ""
}

// ends reports whether an archive may end at all. That of an open chat may not: its
// next turn begins where the last one ended. What was lost is kept for as long as
// its chat is.
func ends(s orchestrator.SweepChat) bool {
	switch s.State {
	case orchestrator.ChatArchived:
		return true
	case orchestrator.ChatClosed:
		return s.Worktree.State != orchestrator.WorktreeLost
	}
	return false
}

// expired reports whether an archive has been kept for long enough.
func (r Rules) expired(c orchestrator.ClockReading, s orchestrator.SweepChat) bool {
	if !ends(s) {
		return false
	}
	return r.Retention > 0 && age(c, latest(s.ArchivedAt, s.UsedAt, s.ClosedAt)) >= r.Retention
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// How long something that is held is left alone: longer each time.
const (
	firstRest   = 10 * time.Minute
	longestRest = 24 * time.Hour
)

// resting reports whether something that is held need not be looked at again
// yet. One that was used since is, and so it is when the clock was set.
func resting(c orchestrator.ClockReading, h orchestrator.Hold, used time.Time) bool {
	return h.Checked.After(c.Steady) && !used.After(h.Checked) &&
		c.Wall.Before(h.Next) && h.Next.Sub(c.Wall) <= longestRest
}

// held is what is on record after something was found to be at risk once more.
func held(c orchestrator.ClockReading, before orchestrator.Hold, v orchestrator.RiskVerdict) orchestrator.Hold {
	h := orchestrator.Hold{Name: string(v.Chat), Path: string(v.Dir), Since: before.Since, Checked: c.Wall, Checks: before.Checks + 1, Risks: v.Risks}
	if h.Since.IsZero() {
		h.Since = c.Wall
	}
	h.Next = c.Wall.Add(min(firstRest<<min(before.Checks, 16), longestRest))
	return h
}
