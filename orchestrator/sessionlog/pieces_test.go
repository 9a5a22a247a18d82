package sessionlog_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/sessionlog"
)

// said is a message in pieces, each an event; the last is its turn's end.
func said(pieces ...string) (events []orchestrator.Event) {
	for i, text := range pieces {
		events = append(events, orchestrator.Event{Seq: orchestrator.Seq(i + 1), Chat: chat, Kind: orchestrator.EventText, MessageID: "m", Text: text})
	}
	return append(events, orchestrator.Event{Seq: orchestrator.Seq(len(pieces) + 1), Chat: chat, Kind: orchestrator.EventTurn})
}

// come gives out events up to a number.
func come(events []orchestrator.Event, upTo int) orchestrator.NextEvents {
	return func(after orchestrator.Seq) ([]orchestrator.Event, error) {
		return events[min(int(after), upTo):upTo], nil
	}
}

// written is the text of the events in a chat's file, and how many there are.
func written(t *testing.T, l *sessionlog.Logs) (text string, events int) {
	t.Helper()
	file, err := os.ReadFile(l.Path(chat))
	must(t, err)
	for line := range bytes.Lines(file) {
		var ev orchestrator.Event
		must(t, json.Unmarshal(line, &ev))
		text += ev.Text
		if events++; int(ev.Seq) != events {
			t.Fatalf("event %d is at place %d", ev.Seq, events)
		}
	}
	return text, events
}

var secretEnviron = []string{"MY_API_KEY=hunter2-hunter2", "OTHER_TOKEN=hunter2-hunter2-and-more", "DB_PASSWORD=correct horse battery"}

// Wherever a message is cut into pieces, and however many of them are there when
// the file is written, its secrets are left out and nothing else is.
func TestSecretsInPiecesAreLeftOut(t *testing.T) {
	for text, want := range map[string]string{
		"say hunter2-hunter2, and hunter2-hunter2-and-more.":                            "say [redacted], and [redacted].",
		"it is correct horse battery staple":                                            "it is [redacted] staple",
		"a key sk-" + strings.Repeat("a1B2", 6) + " and ghp_" + strings.Repeat("x", 36): "a key [redacted] and [redacted]",
		"Authorization: Bearer " + strings.Repeat("Zz9.", 6) + "\nnext":                 "Authorization: [redacted]\nnext",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- ok":       "[redacted] ok",
		"hunter2 is no secret, nor is sk-8 or a ghost who says -----BEGIN":              "hunter2 is no secret, nor is sk-8 or a ghost who says -----BEGIN",
	} {
		for _, size := range []int{1, 2, 3, 7, 20} {
			var parts []string
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				parts, rest = append(parts, rest[:n]), rest[n:]
			}
			events := said(parts...)
			l := newLogs(t, sessionlog.Options{})
			for n := 1; n <= len(events); n += 1 + n%3 {
				must(t, l.Append(chat, 0, secretEnviron, come(events, n)))
			}
			must(t, l.Append(chat, 0, secretEnviron, come(events, len(events))))
			if got, n := written(t, l); got != want || n != len(events) {
				t.Errorf("%q in pieces of %d: %d of %d events, %q", text, size, n, len(events), got)
			}
		}
	}
}

// Only what may be a part of a secret is waited for.
func TestWhatCannotBeASecretIsWrittenAtOnce(t *testing.T) {
	for text, held := range map[string]bool{
		"plain words": false, "all is well. ": false, "a ghost": false, "risk-free ": false,
		"hunt": true, "a correct horse": true, "use sk": true, "Bearer ": true, "Bearer abc": true, "-----BEG": true,
	} {
		l := newLogs(t, sessionlog.Options{})
		must(t, l.Append(chat, 0, secretEnviron, come(said("first ", text), 2)))
		if _, n := written(t, l); n != 2 && !held || n != 1 && held {
			t.Errorf("%q: %d of 2 events are written", text, n)
		}
	}
}

// An endless word is not held for ever, and what comes between two pieces stays
// where it was.
func TestWhatIsHeldIsBounded(t *testing.T) {
	l := newLogs(t, sessionlog.Options{})
	must(t, l.Append(chat, 0, secretEnviron, come(said("sk-"+strings.Repeat("!", 70<<10)), 1)))
	if _, n := written(t, l); n != 1 {
		t.Errorf("%d events are written", n)
	}
	l = newLogs(t, sessionlog.Options{})
	events := said("it is hunter2-", "", "hunter2 now")
	events[1].Kind = orchestrator.EventUsage
	must(t, l.Append(chat, 0, secretEnviron, come(events, 2)))
	must(t, l.Append(chat, 0, secretEnviron, come(events, 4)))
	if got, n := written(t, l); got != "it is [redacted] now" || n != 4 {
		t.Errorf("%d events: %q", n, got)
	}
}
