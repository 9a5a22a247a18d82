package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// played is a chat in which a turn was taken.
func played(t *testing.T, prompt string) *fakeService {
	t.Helper()
	f := newFake()
	f.requests = []orchestrator.SendRequest{{Prompt: prompt}}
	if err := f.Follow(t.Context(), "", 0, func(ev orchestrator.Event) error {
		f.log = append(f.log, ev)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestATranscriptHasWholeMessagesAndEndedCalls(t *testing.T) {
	e, stdout, _ := testEnv(played(t, "work on it"))
	if err := runChatTranscript(t.Context(), e, transcriptOptions{Format: "md"}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"## you to goose, ", "\nwork on it\n", "\n\nI will add a --shout flag to greet and document it.\n",
		"### edit greet.go (completed)\n", "### run go test ./... (failed)\n\n```\nexit status 1\n```\n", "- [x] edit\n", "### completed\n",
	} {
		if !strings.Contains(stdout.String(), part) {
			t.Errorf("the transcript lacks %q", part)
		}
	}
	if t.Failed() || strings.Contains(stdout.String(), "wants shouting") || strings.Contains(stdout.String(), "in_progress") {
		t.Errorf("it is:\n%s", stdout)
	}
	e, stdout, _ = testEnv(played(t, "work on it"))
	if err := runChatTranscript(t.Context(), e, transcriptOptions{Format: "jsonl", Thoughts: true}); err != nil {
		t.Fatal(err)
	}
	var roles []string
	for line := range strings.Lines(stdout.String()) {
		var p passage
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		roles = append(roles, p.Role)
	}
	if got := strings.Join(roles, " "); got != "person thought agent tool agent tool agent plan tool plan tool agent end" {
		t.Errorf("the passages are %s", got)
	}
}

func TestHTMLHasNothingInItThatActs(t *testing.T) {
	f := played(t, "hostile <script>alert(1)</script>")
	f.log = append(f.log, orchestrator.Event{Kind: orchestrator.EventText, MessageID: "x", Text: "</pre><img src=x onerror=alert(1)>\x1b]0;t\x07"})
	f.chats = []orchestrator.ChatSummary{{Chat: orchestrator.Chat{Title: `"><script>`}}}
	e, stdout, _ := testEnv(f)
	if err := runChatTranscript(t.Context(), e, transcriptOptions{Format: "html"}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<img", "http://", "https://", "src=\"", "\x1b", "\x07", "\r"} {
		if strings.Contains(stdout.String(), bad) {
			t.Errorf("it has %q:\n%s", bad, stdout)
		}
	}
}

func TestAFenceIsLongerThanWhatItHolds(t *testing.T) {
	for text, want := range map[string]string{"": "```", "a `b` c": "```", "```go\n": "````", "``````": "```````"} {
		if got := fenceFor(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestALogIsLimitedToWhatIsAskedFor(t *testing.T) {
	now := time.Unix(1_800_000_000, 0).UTC()
	at := func(kind orchestrator.EventKind, ago time.Duration) orchestrator.Event {
		return orchestrator.Event{Kind: kind, At: now.Add(-ago)}
	}
	for _, c := range []struct {
		words []string
		since string
		ev    orchestrator.Event
		want  bool
	}{
		{nil, "", at(orchestrator.EventUsage, time.Hour), true},
		{[]string{"tools", "text"}, "", at(orchestrator.EventText, 0), true},
		{[]string{"tools", "text"}, "", at(orchestrator.EventThought, 0), false},
		{[]string{"turns"}, "2h", at(orchestrator.EventSummary, time.Hour), true},
		{nil, "2h", at(orchestrator.EventText, 3*time.Hour), false},
		{nil, "2020-01-01", at(orchestrator.EventText, 0), true},
		{nil, "2031-01-01", at(orchestrator.EventText, 0), false},
		{[]string{"tool"}, "", at(orchestrator.EventTool, 0), true},
		{[]string{"texts", "notice"}, "", at(orchestrator.EventText, 0), true},
	} {
		f, err := parseFilter(c.words, c.since, now)
		if err != nil || f.takes(c.ev) != c.want {
			t.Errorf("%v since %q takes %s: %v, %v", c.words, c.since, c.ev.Kind, f.takes(c.ev), err)
		}
	}
	if f, err := parseFilter(nil, "17", now); f.after != 17 || err != nil {
		t.Errorf("a number: %+v, %v", f, err)
	}
	for _, bad := range [][2]string{{"nonsense", ""}, {"text", "yesterday"}, {"text", "-3"}} {
		if _, err := parseFilter([]string{bad[0]}, bad[1], now); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
	for _, kind := range []orchestrator.EventKind{
		orchestrator.EventPrompt, orchestrator.EventTurn, orchestrator.EventSession, orchestrator.EventText, orchestrator.EventThought, orchestrator.EventTool,
		orchestrator.EventPlan, orchestrator.EventUsage, orchestrator.EventPermission, orchestrator.EventMode, orchestrator.EventCommands,
		orchestrator.EventNotice, orchestrator.EventUnknown, orchestrator.EventSummary,
	} {
		named := 0
		for _, kinds := range logWords {
			for _, k := range kinds {
				if k == kind {
					named++
				}
			}
		}
		if named != 1 {
			t.Errorf("%s has %d words", kind, named)
		}
	}
}

func TestAReplayPausesOnATerminalOnly(t *testing.T) {
	f := played(t, "work on it")
	for i := range f.log {
		f.log[i].At = f.log[i].At.Add(time.Duration(i) * time.Second)
	}
	f.log[len(f.log)-1].At = f.log[len(f.log)-1].At.Add(time.Hour)
	var waited []time.Duration
	for _, terminal := range []bool{false, true} {
		e, stdout, _ := testEnv(f)
		if terminal {
			e.Stdout = tty.New(stdout, tty.Options{Terminal: true})
		}
		e.Pause = func(_ context.Context, d time.Duration) { waited = append(waited, d) }
		if err := runChatReplay(t.Context(), e, replayOptions{Speed: 2}); err != nil || !strings.Contains(stdout.String(), "Done: `greet --shout` shouts.") {
			t.Fatalf("%v: %s", err, stdout)
		}
		if !terminal && len(waited) > 0 {
			t.Fatal("it pauses in a pipe")
		}
	}
	if n := len(f.log) - 1; len(waited) != n || waited[0] != 500*time.Millisecond || waited[n-1] != longestPause {
		t.Errorf("the pauses are %v", waited)
	}
}
