package sessionlog_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/sessionlog"
)

const chat = orchestrator.ChatID("c000000001")

// upTo gives out events with a text each, numbered to n.
func upTo(n orchestrator.Seq, text string) orchestrator.NextEvents {
	return func(after orchestrator.Seq) (events []orchestrator.Event, err error) {
		for seq := after + 1; seq <= min(n, after+3); seq++ {
			events = append(events, orchestrator.Event{Seq: seq, Chat: chat, Kind: orchestrator.EventText, Text: text})
		}
		return events, nil
	}
}

func newLogs(t *testing.T, opt sessionlog.Options) *sessionlog.Logs {
	t.Helper()
	opt.Dir = filepath.Join(t.TempDir(), "sessions")
	return sessionlog.New(opt)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// numbers reads the numbers of the events in a file, all of which are whole.
func numbers(t *testing.T, path string) (seqs []orchestrator.Seq) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	for line := range bytes.Lines(text) {
		var ev struct {
			orchestrator.Event
			Sum string `json:"sum"`
		}
		must(t, json.Unmarshal(line, &ev))
		if len(ev.Sum) != 8 {
			t.Fatalf("the sum of %s", line)
		}
		seqs = append(seqs, ev.Seq)
	}
	return seqs
}

func wantRun(t *testing.T, path string, from, to orchestrator.Seq) {
	t.Helper()
	got := numbers(t, path)
	for i, seq := range got {
		if seq != from+orchestrator.Seq(i) {
			t.Fatalf("%s has %v", filepath.Base(path), got)
		}
	}
	if len(got) != int(to-from+1) {
		t.Fatalf("%s has %v, want %d to %d", filepath.Base(path), got, from, to)
	}
}

func TestEachEventIsALineOnce(t *testing.T) {
	l := newLogs(t, sessionlog.Options{})
	for _, n := range []orchestrator.Seq{5, 5, 9} {
		must(t, l.Append(chat, 0, nil, upTo(n, "hello\n\"<you>\"")))
		wantRun(t, l.Path(chat), 1, n)
	}
	info, err := os.Stat(l.Path(chat))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}
	if err := l.Append("c/../../x", 0, nil, upTo(1, "")); orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
		t.Errorf("a name that leads away: %v", err)
	}
}

// Whatever is cut off a file, or damaged at its end, is written again.
func TestATornEndIsMended(t *testing.T) {
	l := newLogs(t, sessionlog.Options{})
	must(t, l.Append(chat, 0, nil, upTo(6, "some text")))
	whole, err := os.ReadFile(l.Path(chat))
	must(t, err)
	line := len(whole) / 6
	for cut := len(whole) - 2*line - 3; cut <= len(whole); cut += 7 {
		must(t, os.WriteFile(l.Path(chat), whole[:cut], 0o600))
		must(t, l.Append(chat, 0, nil, upTo(6, "some text")))
		again, err := os.ReadFile(l.Path(chat))
		must(t, err)
		if !bytes.Equal(again, whole) {
			t.Fatalf("cut at %d of %d:\n%s", cut, len(whole), again)
		}
	}
	for _, at := range []int{len(whole) - line/2, len(whole) - 3, len(whole) - line - line/2} {
		bad := bytes.Clone(whole)
		bad[at] ^= 4
		must(t, os.WriteFile(l.Path(chat), append(bad[:len(bad)-1], []byte("\n{\"seq\":9,\"half")...), 0o600))
		must(t, l.Append(chat, 0, nil, upTo(6, "some text")))
		again, err := os.ReadFile(l.Path(chat))
		must(t, err)
		if at > len(whole)-line && !bytes.Equal(again, whole) {
			t.Fatalf("damaged at %d:\n%s", at, again)
		}
	}
}

func TestALargeLineIsReadBackWhole(t *testing.T) {
	l := newLogs(t, sessionlog.Options{})
	long := strings.Repeat("x", 300<<10)
	for _, n := range []orchestrator.Seq{1, 2} {
		must(t, l.Append(chat, 0, nil, upTo(n, long)))
		wantRun(t, l.Path(chat), 1, n)
	}
}

func TestAFileThatIsFullIsFollowedByAnother(t *testing.T) {
	l := newLogs(t, sessionlog.Options{Max: 1000, Keep: 3})
	must(t, l.Append(chat, 0, nil, upTo(40, "some text")))
	part := func(n string) string { return strings.TrimSuffix(l.Path(chat), ".jsonl") + n + ".jsonl" }
	newest, first := numbers(t, part("")), numbers(t, part(".1"))
	if newest[len(newest)-1] != 40 || first[len(first)-1]+1 != newest[0] || len(numbers(t, part(".2"))) == 0 {
		t.Errorf("the files end with %v, %v", first, newest)
	}
	if _, err := os.Stat(part(".3")); !os.IsNotExist(err) {
		t.Errorf("the oldest stays: %v", err)
	}
	must(t, os.Remove(part(""))) // as if boo had died before it wrote the next line
	must(t, l.Append(chat, 0, nil, upTo(41, "some text")))
	wantRun(t, part(""), first[len(first)-1]+1, 41)
	must(t, l.Rebuild(chat, 0, nil, upTo(4, "some text")))
	wantRun(t, part(""), 1, 4)
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(part("")), "*")); len(left) != 1 {
		t.Errorf("a rebuild leaves %v", left)
	}
}

func TestAClearedLogIsPutAside(t *testing.T) {
	l := newLogs(t, sessionlog.Options{})
	must(t, l.Append(chat, 0, nil, upTo(4, "before")))
	for range 2 {
		must(t, l.Append(chat, 4, nil, upTo(6, "after")))
		wantRun(t, l.Path(chat), 5, 6)
	}
	wantRun(t, strings.TrimSuffix(l.Path(chat), ".jsonl")+".until-4.jsonl", 1, 4)
}

func TestSecretsAreLeftOut(t *testing.T) {
	l := newLogs(t, sessionlog.Options{Environ: []string{"MY_API_KEY=common-to-all-\"agents\"", "PATH=/usr/bin:/bin/some", "SSH_AUTH_SOCK=/tmp/ssh/agent"}})
	environ := []string{"ANTHROPIC_AUTH_TOKEN=hunter2-hunter2", "DB_PASSWORD=short", "HOME=/home/someone", "OTHER_TOKEN=hunter2-hunter2-and-more"}
	for text, want := range map[string]string{
		"it is hunter2-hunter2-and-more.":                 "it is [redacted].",
		"a hunter2-hunter2 b":                             "a [redacted] b",
		"common-to-all-\"agents\"":                        "[redacted]",
		"sk-" + strings.Repeat("a1B2", 8):                 "[redacted]",
		"use ghp_" + strings.Repeat("x", 36) + " now":     "use [redacted] now",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END": "[redacted]",
		"short /home/someone /usr/bin:/bin/some":          "short /home/someone /usr/bin:/bin/some",
		"/tmp/ssh/agent sk-no":                            "/tmp/ssh/agent sk-no",
	} {
		raw := json.RawMessage(`{"a":"\u0068unter2-hunter2","b":[1,"\/"]}`)
		must(t, l.Rebuild(chat, 0, environ, func(after orchestrator.Seq) ([]orchestrator.Event, error) {
			if after > 0 {
				return nil, nil
			}
			return []orchestrator.Event{{Seq: 1, Chat: chat, Kind: orchestrator.EventTool, Text: text, Tool: &orchestrator.ToolCall{Input: raw}}}, nil
		}))
		line, err := os.ReadFile(l.Path(chat))
		must(t, err)
		var ev orchestrator.Event
		must(t, json.Unmarshal(line, &ev))
		if ev.Text != want || bytes.Contains(line, []byte("unter2")) || !bytes.Contains(line, []byte(`"a":"[redacted]"`)) {
			t.Errorf("%q is written %s", text, line)
		}
	}
}
