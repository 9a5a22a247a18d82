package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"boo/orchestrator"
)

func TestADetachedPromptIsNamedAndNotWatched(t *testing.T) {
	f := newFake()
	e, stdout, stderr := testEnv(f)
	if err := runSend(context.Background(), e, sendOptions{Prompt: []string{"hang"}, Detach: true}); err != nil {
		t.Fatal(err)
	}
	if stdout.String() != "c000000001 t000000001\n" || !strings.Contains(stderr.String(), "boo chat wait --turn t000000001") {
		t.Errorf("stdout %q, stderr %q", stdout, stderr)
	}
	if f.requests[0].Attended {
		t.Error("a person is said to be there")
	}
	e, stdout, _ = testEnv(newFake())
	e.JSON = true
	if err := runSend(context.Background(), e, sendOptions{Prompt: []string{"hang"}, Detach: true}); err != nil {
		t.Fatal(err)
	}
	if want := `{"chat":"c000000001","turn":"t000000001","agent":"goose","new_chat":true,"ahead":[]}` + "\n"; stdout.String() != want {
		t.Errorf("stdout %q", stdout)
	}
}

func TestWaitingEndsAsSendingWouldHave(t *testing.T) {
	for prompt, want := range map[string]int{"work": 0, "fail": 7, "halt": 7, "die": 7} {
		f := newFake()
		f.turns = []orchestrator.Turn{{ID: "t000000001"}}
		f.requests = []orchestrator.SendRequest{{Prompt: prompt}}
		e, stdout, stderr := testEnv(f)
		if got := e.report(runChatWait(context.Background(), e, waitOptions{})); got != want {
			t.Errorf("%s: status %d, want %d\n%s", prompt, got, want, stderr)
		}
		if !strings.HasPrefix(stdout.String(), "t000000001 ") {
			t.Errorf("%s: stdout %q", prompt, stdout)
		}
	}
}

func TestWaitingPrintsTheSummary(t *testing.T) {
	f := newFake()
	f.turns = []orchestrator.Turn{{ID: "t000000001"}}
	e, stdout, _ := testEnv(f)
	e.JSON = true
	if err := runChatWait(context.Background(), e, waitOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"chat":"c000000001","turn":"t000000001","state":"completed"`, `"pending":2`, `"path":"greet.go"`} {
		if !strings.Contains(stdout.String(), part) {
			t.Errorf("no %s in %s", part, stdout)
		}
	}
}

func TestWaitingHasALimit(t *testing.T) {
	f := newFake()
	f.requests = []orchestrator.SendRequest{{Prompt: "hang"}}
	e, _, stderr := testEnv(f)
	got := e.report(runChatWait(context.Background(), e, waitOptions{Turn: "t000000001", Timeout: time.Millisecond}))
	if got != 6 || !strings.Contains(stderr.String(), "turn t000000001 is not over after 1ms; it goes on") {
		t.Errorf("status %d, stderr %s", got, stderr)
	}
	if len(f.stops) > 0 {
		t.Error("the turn was stopped")
	}
}

func TestWhatIsWaitedForHasToBeThere(t *testing.T) {
	for name, o := range map[string]waitOptions{
		"a chat without turns":   {},
		"a turn of another chat": {Ref: orchestrator.ChatRef{Prefix: "c000000001"}, Turn: "t000000009"},
	} {
		e, _, stderr := testEnv(newFake())
		if got := e.report(runChatWait(context.Background(), e, o)); got != 3 {
			t.Errorf("%s: status %d, stderr %s", name, got, stderr)
		}
	}
}

func TestStoppingTakesTheTurnThatRuns(t *testing.T) {
	turns := []orchestrator.Turn{
		{ID: "t000000001", State: orchestrator.TurnCompleted},
		{ID: "t000000002", State: orchestrator.TurnRunning},
		{ID: "t000000003", State: orchestrator.TurnQueued},
	}
	for _, c := range []struct {
		turns []orchestrator.Turn
		all   bool
		want  []orchestrator.TurnID
	}{
		{turns, false, []orchestrator.TurnID{"t000000002"}},
		{turns, true, []orchestrator.TurnID{"t000000003", "t000000002"}},
		{turns[:1], true, nil},
	} {
		f := newFake()
		f.turns, f.requests = slices.Clone(c.turns), []orchestrator.SendRequest{{Prompt: "hang"}}
		e, stdout, stderr := testEnv(f)
		if err := runChatStop(context.Background(), e, stopOptions{All: c.all}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.stoppedTurns, c.want) {
			t.Errorf("stopped %v, want %v", f.stoppedTurns, c.want)
		}
		if strings.Count(stdout.String(), "stopped") != len(c.want) || (len(c.want) == 0) != strings.Contains(stderr.String(), "nothing runs") {
			t.Errorf("stdout %q, stderr %q", stdout, stderr)
		}
	}
}

func TestAFollowedLogGoesOnUntilItIsStopped(t *testing.T) {
	f := newFake()
	f.requests = []orchestrator.SendRequest{{Prompt: "work"}}
	f.log = []orchestrator.Event{
		{Seq: 1, Kind: orchestrator.EventNotice, Text: "the first"},
		{Seq: 2, Kind: orchestrator.EventNotice, Text: "the second"},
	}
	e, stdout, _ := testEnv(f)
	signals := make(chan os.Signal, 1)
	e.Signals = func() (<-chan os.Signal, func()) { return signals, func() {} }
	done := make(chan error, 1)
	go func() {
		done <- runChatLog(context.Background(), e, logOptions{Filter: logFilter{after: 1}, Follow: true})
	}()
	signals <- syscall.SIGINT
	if got := e.report(<-done); got != 130 {
		t.Errorf("status %d", got)
	}
	if out := stdout.String(); strings.Contains(out, "the first") || !strings.Contains(out, "note: the second\n") {
		t.Errorf("stdout:\n%s", out)
	}
}
