package orchestrator

import (
	"fmt"
	"strings"
	"testing"
)

func TestLoopsAreFound(t *testing.T) {
	same := func(s *stage, times int) {
		for i := range times {
			s.tool(fmt.Sprint("s", i), "in_progress", "go test", "")
			s.tool(fmt.Sprint("s", i), "completed", "go test", "FAIL")
		}
	}
	say := func(s *stage, id, text string) { s.see(Event{Kind: EventText, MessageID: id, Text: text}) }
	for name, c := range map[string]struct {
		play  func(s *stage)
		warns int
		halt  string
	}{
		"the same call twice":       {func(s *stage) { same(s, 2) }, 0, ""},
		"the same call three times": {func(s *stage) { same(s, 3) }, 1, ""},
		"the same call five times":  {func(s *stage) { same(s, 5) }, 1, "loop: the same tool call had the same result 5 times in a row"},
		"the same call, whose result changes": {func(s *stage) {
			for i := range 50 {
				s.tool(fmt.Sprint(i), "completed", "date", fmt.Sprint("second ", i))
			}
		}, 0, ""},
		"one call, updated over and over": {func(s *stage) {
			for range 50 {
				s.tool("1", "completed", "date", "now")
			}
		}, 0, ""},
		"two calls that take turns": {func(s *stage) {
			for i := range 18 {
				s.tool(fmt.Sprint(i), "failed", fmt.Sprint("try ", i%2), "no")
			}
		}, 1, "loop: the last 16 tool calls were all made before"},
		"the same words between the same calls": {func(s *stage) {
			for i := range 6 {
				say(s, fmt.Sprint("m", i), "Let me try that once more, ")
				say(s, fmt.Sprint("m", i), "with feeling.")
			}
		}, 1, "loop: it has said the same 5 times"},
		"the same words between new calls": {func(s *stage) {
			for i := range 20 {
				say(s, fmt.Sprint("m", i), "Now I look at the next one of the files.")
				s.tool(fmt.Sprint(i), "completed", fmt.Sprint("cat ", i), "")
			}
		}, 0, ""},
		"short words": {func(s *stage) {
			for i := range 20 {
				say(s, fmt.Sprint("m", i), "OK.")
			}
		}, 0, ""},
		"a line that never ends to come": {func(s *stage) {
			for range 100 {
				say(s, "m", "I am sorry, I will fix that right away.\n")
			}
		}, 1, "loop: it has written the same line 60 times in a row"},
		"a table": {func(s *stage) {
			for range 100 {
				say(s, "m", "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
			}
		}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			watched(t, Policy{Loop: LoopHalt}, Limits{}, func(s *stage) {
				c.play(s)
				if why := s.after(0); c.halt == "" && why != "" || !strings.HasPrefix(why, c.halt) {
					t.Errorf("halted %q, want %q", why, c.halt)
				}
				if len(s.said()) != c.warns {
					t.Errorf("warned %q", s.said())
				}
			})
			watched(t, Policy{Loop: LoopWarn}, Limits{}, func(s *stage) {
				c.play(s)
				if why := s.after(0); why != "" || len(s.said()) != c.warns {
					t.Errorf("told only to warn: halted %q, warned %q", why, s.said())
				}
			})
			watched(t, Policy{Loop: LoopOff}, Limits{}, func(s *stage) {
				c.play(s)
				if why := s.after(0); why != "" || len(s.said()) > 0 {
					t.Errorf("told to look away: halted %q, warned %q", why, s.said())
				}
			})
		})
	}
}
