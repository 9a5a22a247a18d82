package backendtest

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

// Faults runs what a backend has to stand from its agent. open returns a
// subject whose agent is package scriptedagent with these arguments; it is
// called once or more for each subtest. Subtests run beside each other.
func Faults(t *testing.T, open func(t *testing.T, args ...string) Subject) {
	for _, c := range endings {
		t.Run("Ending/"+c.prompt, func(t *testing.T) {
			t.Parallel()
			turnEnds(t, open(t), c)
		})
	}
	for _, c := range starts {
		t.Run("Start/"+c.args, func(t *testing.T) {
			t.Parallel()
			startFails(t, open(t, strings.Fields(c.args)...), c)
		})
	}
	for way, rung := range map[string]orchestrator.Rung{
		"ok": orchestrator.RungResumed, "late": orchestrator.RungResumed,
		"lying": orchestrator.RungNew, "gone": orchestrator.RungNew, "none": orchestrator.RungNew,
	} {
		t.Run("Load/"+way, func(t *testing.T) {
			t.Parallel()
			loadLeadsTo(t, open(t, "--load", way), rung)
		})
	}
	for name, check := range map[string]func(*testing.T, Subject){
		"DeafAgentIsEndedWhenStopped": deafAgentIsEnded,
		"OrphanEndsWithItsSession":    orphanEnds,
		"OneLineOf32MB":               longLine,
		"BurstOf100000":               burst,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, open(t))
		})
	}
}

// ending is a prompt and what becomes of its turn.
type ending struct {
	prompt  string
	code    orchestrator.Code // "" if the turn ends well
	words   string            // in the text, or in the error
	stop    string
	strange int
	usable  bool // the session takes another turn
}

var endings = []ending{
	{prompt: "noise 100 ;; say on", words: "on", stop: "end_turn", usable: true},
	{prompt: "unknown day_dream ;; say on", words: "on", stop: "end_turn", strange: 1, usable: true},
	{prompt: "request x/y", words: "-32601", stop: "end_turn", usable: true},
	{prompt: "request fs/read_text_file", words: "-32601", stop: "end_turn", usable: true},
	{prompt: "ask", words: "permission: selected yes", stop: "end_turn", usable: true},
	{prompt: "ask nowait ;; say on", words: "on", stop: "end_turn", usable: true},
	{prompt: "say on ;; stop refusal", words: "on", stop: "refusal", usable: true},
	{prompt: "duplicate ;; say on", words: "on", stop: "end_turn", usable: true},
	{prompt: "trail 50 ;; say on", words: "on", stop: "end_turn", usable: true},
	{prompt: "fail -32603 the model is gone", code: orchestrator.CodeAgent, words: "the model is gone", usable: true},
	{prompt: "say on ;; exit 0", code: orchestrator.CodeAgent},
	{prompt: "say on ;; exit 3", code: orchestrator.CodeAgent, words: "3"},
	{prompt: "exit 137", code: orchestrator.CodeAgent},
	{prompt: "half 0", code: orchestrator.CodeAgent},
	{prompt: "die", code: orchestrator.CodeAgent},
	{prompt: "say on ;; mute ;; hang", code: orchestrator.CodeAgent},
}

func turnEnds(t *testing.T, s Subject, c ending) {
	v := begin(t, s, t.TempDir(), "", 0)
	o := v.prompt(t, c.prompt)
	wait(t, o, o.done, c.prompt)
	switch {
	case c.code == "" && (o.err != nil || o.result.Stop != c.stop || !strings.Contains(o.said(), c.words)):
		t.Errorf("ended with %q, %v; said %q", o.result.Stop, o.err, o.said())
	case c.code != "" && (orchestrator.CodeOf(o.err) != c.code || !strings.Contains(o.err.Error(), c.words)):
		t.Errorf("ended with %q, %v", o.result.Stop, o.err)
	}
	if o.strange != c.strange {
		t.Errorf("%d updates of unknown kinds", o.strange)
	}
	if c.usable {
		if again := v.turn(t, "say still here"); !strings.Contains(again.said(), "still here") {
			t.Errorf("the next turn said %q", again.said())
		}
	}
}

// start is a way in which an agent does not even begin.
type start struct {
	args  string
	words string // in the error
}

var starts = []start{
	{args: "--initialize wrong", words: "99"},
	{args: "--initialize never", words: ""},
	{args: "--no-such-flag", words: "no-such-flag"},
}

func startFails(t *testing.T, s Subject, c start) {
	v, err := attempt(t, s, t.TempDir(), "", 0)
	if err == nil {
		t.Cleanup(func() { v.leave(t) })
		t.Fatal("it started")
	}
	if orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(err.Error(), c.words) {
		t.Errorf("got %v", err)
	}
	v.gone(t)
}

func loadLeadsTo(t *testing.T, s Subject, rung orchestrator.Rung) {
	first := begin(t, s, t.TempDir(), "", 0)
	first.turn(t, "remember plum")
	first.leave(t)
	second := begin(t, s, first.dir, first.Info().NativeID, first.turns)
	if second.Info().Rung != rung {
		t.Errorf("session: %+v", second.Info())
	}
	o := second.turn(t, "recall")
	if knows := strings.Contains(o.said(), "remember plum"); knows != (rung == orchestrator.RungResumed) {
		t.Errorf("said %q", o.said())
	}
}

func deafAgentIsEnded(t *testing.T, s Subject) {
	v := begin(t, s, t.TempDir(), "", 0)
	o := v.prompt(t, "deaf ;; hang")
	wait(t, o, o.first, "the agent's first word")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := v.Stop(ctx, 200*time.Millisecond); err != nil {
		t.Errorf("stop: %v", err)
	}
	wait(t, o, o.done, "end of a deaf agent's turn")
	if o.err == nil && o.result.Stop != "cancelled" {
		t.Errorf("ended with %q", o.result.Stop)
	}
	v.gone(t)
}

var orphanID = regexp.MustCompile(`orphan (\d+)`)

func orphanEnds(t *testing.T, s Subject) {
	v := begin(t, s, t.TempDir(), "", 0)
	found := orphanID.FindStringSubmatch(v.turn(t, "orphan").said())
	if found == nil {
		t.Fatal("no process was left behind")
	}
	pid, err := strconv.Atoi(found[1])
	if err != nil || !alive(pid) {
		t.Fatalf("process %s: %v", found[1], err)
	}
	v.leave(t)
	if alive(pid) {
		t.Errorf("process %d, left behind by the agent, is alive", pid)
	}
}

func longLine(t *testing.T, s Subject) {
	v := begin(t, s, t.TempDir(), "", 0)
	if got := len(v.turn(t, "flood 33554432 bytes").said()); got != 33554432+1 {
		t.Errorf("%d bytes arrived", got)
	}
}

func burst(t *testing.T, s Subject) {
	v := begin(t, s, t.TempDir(), "", 0)
	said := v.turn(t, "flood 100000 chunks").said()
	if strings.Count(said, "chunk") != 100000 || !strings.HasSuffix(said, "chunk100000 ") {
		t.Errorf("%d chunks arrived", strings.Count(said, "chunk"))
	}
}
