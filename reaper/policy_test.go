package reaper

import (
	"testing"
	"time"

	"boo/orchestrator"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// at is a clock that has gone steadily for as long as the machine runs: two days.
func at(wall time.Time) orchestrator.ClockReading {
	return orchestrator.ClockReading{Boot: "b", Up: 48 * time.Hour, Wall: wall}
}

// swept is a chat that was last used at noon.
func swept(chat orchestrator.ChatState, tree orchestrator.WorktreeState) subject {
	return subject{
		SweepChat: orchestrator.SweepChat{State: chat, UsedAt: noon, Worktree: orchestrator.Worktree{State: tree, CreatedAt: noon}}, there: true,
	}
}

func TestWhatIsToBeDoneAboutAChat(t *testing.T) {
	closed := func(change func(*subject)) subject {
		s := swept(orchestrator.ChatClosed, orchestrator.WorktreeActive)
		change(&s)
		return s
	}
	open := swept(orchestrator.ChatOpen, orchestrator.WorktreeActive)
	creating := swept(orchestrator.ChatOpen, orchestrator.WorktreeCreating)
	idle := Rules{Grace: time.Hour, Idle: 24 * time.Hour}
	for name, c := range map[string]struct {
		rules Rules
		after time.Duration
		sub   subject
		want  move
	}{
		"closed, within its grace":          {DefaultRules(), 59 * time.Minute, closed(func(*subject) {}), leave},
		"closed, past its grace":            {DefaultRules(), time.Hour, closed(func(*subject) {}), retire},
		"closed later than used":            {DefaultRules(), time.Hour, closed(func(s *subject) { s.ClosedAt = noon.Add(time.Minute) }), leave},
		"removed":                           {DefaultRules(), time.Hour, closed(func(s *subject) { s.State = orchestrator.ChatArchived }), retire},
		"being closed":                      {DefaultRules(), time.Hour, closed(func(s *subject) { s.State = orchestrator.ChatClosing }), leave},
		"with a turn":                       {DefaultRules(), time.Hour, closed(func(s *subject) { s.Busy = true }), leave},
		"archived already":                  {DefaultRules(), time.Hour, closed(func(s *subject) { s.Worktree.State = orchestrator.WorktreeArchived }), leave},
		"its directory gone":                {DefaultRules(), 0, closed(func(s *subject) { s.there = false }), lose},
		"gone, but a turn is about to mend": {DefaultRules(), 0, closed(func(s *subject) { s.there, s.Busy = false, true }), leave},
		"open":                              {DefaultRules(), 1000 * time.Hour, open, leave},
		"open, idle, but not long":          {idle, 23 * time.Hour, open, leave},
		"open, idle for long":               {idle, 24 * time.Hour, open, retire},
		"half made, just now":               {DefaultRules(), time.Minute, creating, leave},
		"half made, long ago":               {DefaultRules(), time.Hour, creating, undo},
	} {
		if got, _ := c.rules.decide(at(noon.Add(c.after)), c.sub); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAClockThatWasSetIsNotTrusted(t *testing.T) {
	day := 24 * time.Hour
	last := at(noon)
	for name, c := range map[string]struct {
		up, wall time.Duration // since the last look
		boot     string
		steady   bool
	}{
		"an hour goes by":                   {time.Hour, time.Hour, "b", true},
		"it drifts":                         {time.Hour, time.Hour + 30*time.Second, "b", true},
		"it leaps forward":                  {time.Minute, day, "b", false},
		"it goes back":                      {time.Hour, -day, "b", false},
		"it goes back by less than passed":  {10 * time.Hour, time.Hour, "b", false},
		"the machine was asleep":            {day, day, "b", true}, // the boot clock counts that
		"the machine was off":               {-48 * time.Hour, day, "c", true},
		"it was off, and its clock is back": {-48 * time.Hour, -time.Hour, "c", false},
	} {
		now := last
		now.Boot, now.Up, now.Wall = c.boot, last.Up+c.up, last.Wall.Add(c.wall)
		now = steadied(last, now)
		if trusted := now.Steady.IsZero(); trusted != c.steady {
			t.Errorf("%s: steady since %v", name, now.Steady)
		}
		if got := age(now, noon.Add(-10*day)); !c.steady && got != 0 {
			t.Errorf("%s: what is old is %v old", name, got)
		}
	}
	// Ages count again from then on.
	set := steadied(last, orchestrator.ClockReading{Boot: "b", Up: last.Up + time.Minute, Wall: noon.Add(day)})
	later := steadied(set, orchestrator.ClockReading{Boot: "b", Up: set.Up + time.Hour, Wall: set.Wall.Add(time.Hour)})
	if got := age(later, noon); got != time.Hour {
		t.Errorf("an hour after it was set, what is older is %v old", got)
	}
	if got := age(later, later.Wall.Add(day)); got != 0 {
		t.Errorf("what is in the future is %v old", got)
	}
}

func TestNothingIsOldShortlyAfterTheMachinesStart(t *testing.T) {
	c := at(noon.Add(1000 * time.Hour))
	c.Up = 10 * time.Minute
	if got, _ := DefaultRules().decide(c, swept(orchestrator.ChatClosed, orchestrator.WorktreeActive)); got != leave {
		t.Errorf("%q", got)
	}
}

func TestWhatIsHeldIsLookedAtLessAndLess(t *testing.T) {
	verdict := orchestrator.RiskVerdict{Chat: "c1", Risks: []orchestrator.Risk{{Kind: orchestrator.RiskUnpushed}}}
	var h orchestrator.Hold
	c := at(noon)
	for i, want := range []time.Duration{10 * time.Minute, 20 * time.Minute, 40 * time.Minute} {
		h = held(c, h, verdict)
		if rest := h.Next.Sub(c.Wall); rest != want || h.Checks != i+1 || !h.Since.Equal(noon) {
			t.Errorf("time %d: again after %v: %+v", i, rest, h)
		}
		c.Wall = h.Next
	}
	for range 20 {
		h = held(c, h, verdict)
	}
	if rest := h.Next.Sub(c.Wall); rest != longestRest {
		t.Errorf("at last after %v", rest)
	}
	before := at(c.Wall.Add(time.Hour))
	if !resting(before, h, noon) {
		t.Error("it is not left alone")
	}
	if resting(before, h, before.Wall) {
		t.Error("it was used since, and is left alone")
	}
	if resting(at(h.Next), h, noon) {
		t.Error("its time has come, and it is left alone")
	}
	if set := at(noon); resting(set, h, noon) && h.Next.Sub(set.Wall) > longestRest {
		t.Error("the clock went back, and it is left alone for longer than ever")
	}
}

func TestArchivesEndAfterTheirTime(t *testing.T) {
	month := 30 * 24 * time.Hour
	s := swept(orchestrator.ChatClosed, orchestrator.WorktreeArchived).SweepChat
	s.ArchivedAt = noon.Add(time.Hour)
	open := swept(orchestrator.ChatOpen, orchestrator.WorktreeArchived).SweepChat
	lost := swept(orchestrator.ChatOpen, orchestrator.WorktreeLost).SweepChat
	removed := swept(orchestrator.ChatArchived, orchestrator.WorktreeLost).SweepChat
	for name, c := range map[string]struct {
		sub   orchestrator.SweepChat
		after time.Duration
		want  bool
	}{
		"young":            {s, month, false},
		"old":              {s, month + time.Hour, true},
		"of an open chat":  {open, 10 * month, false},
		"lost":             {lost, 10 * month, false},
		"lost and removed": {removed, month, true},
	} {
		if got := DefaultRules().expired(at(noon.Add(c.after)), c.sub); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if (Rules{}).expired(at(noon.Add(100*month)), s) {
		t.Error("with no bound it ends all the same")
	}
}

func TestWordsSayWhySomethingIsKept(t *testing.T) {
	got := Words(noon, []orchestrator.Risk{
		{Detail: "3 commits on no branch, here or at a remote", Count: 3, Since: noon.Add(-2 * time.Hour)}, {Detail: "a merge is half done", Count: 1, Since: noon.Add(-90 * time.Second)},
	})
	if want := "kept: 3 commits on no branch, here or at a remote, the newest 2h ago; a merge is half done, 1m ago"; got != want {
		t.Errorf("%q", got)
	}
}
