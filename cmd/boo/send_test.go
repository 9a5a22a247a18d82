package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"boo/cmd/boo/internal/foreground"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

func send(e *env, prompt string) error {
	return runSend(context.Background(), e, sendOptions{Prompt: []string{prompt}})
}

func TestTheAnswerIsDataAndTheRestIsTalk(t *testing.T) {
	e, stdout, stderr := testEnv(newFake())
	if err := send(e, "work"); err != nil {
		t.Fatal(err)
	}
	want := "I will add a --shout flag to greet and document it. \n" +
		"While that runs, here is a longer text that goes on and on, so that it is wider than the terminal is.\n" +
		"Second line, which goes on.\nDone: `greet --shout` shouts.\n"
	if stdout.String() != want {
		t.Errorf("stdout:\n%s", stdout)
	}
	for _, line := range []string{
		"chat c000000001 (new) · turn t000000001 · goose",
		"worktree /data/worktrees/r1/c000000001",
		"goose 1.52.0 · session new",
		"┆ The person wants shouting.",
		"● edit greet.go", "✓ edit greet.go  done",
		"✗ run go test ./...  failed: exit status 1",
		"  ◐ edit", "  ☐ test", "  ☑ edit",
		"✓ completed in 12.3 s · 1,234 tokens in, 567 out · session new",
		"  edit    greet.go  +12 -3", "  create  logo.png  binary",
		"2 changes pending · next: boo pending show · boo pending apply",
	} {
		if !strings.Contains(stderr.String(), line+"\n") {
			t.Errorf("stderr has no line %q", line)
		}
	}
	if t.Failed() {
		t.Logf("stderr:\n%s", stderr)
	}
}

func TestOnATerminalRunningCallsAreShownInPlace(t *testing.T) {
	e, _, _ := testEnv(newFake())
	var screen strings.Builder
	out := tty.New(&screen, tty.Options{Terminal: true})
	e.Stdout, e.Stderr = out, out
	if err := send(e, "work"); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"● read greet.go\n● read README.md\n", "\r\x1b[A\x1b[2K\x1b[A\x1b[2K", "✓ read README.md\n"} {
		if !strings.Contains(screen.String(), part) {
			t.Errorf("the terminal did not get %q", part)
		}
	}
	if strings.Contains(screen.String(), "done\n") {
		t.Error("a finished call is told twice")
	}
}

func TestAgentsCannotActOnTheTerminal(t *testing.T) {
	e, stdout, stderr := testEnv(newFake())
	if err := send(e, "hostile"); err != nil {
		t.Fatal(err)
	}
	if all := stdout.String() + stderr.String(); strings.ContainsAny(all, "\x1b\x07\r\u009b") {
		t.Errorf("%q", all)
	}
	if !strings.Contains(stdout.String(), "ab red␍over") {
		t.Errorf("the text is %q", stdout)
	}
}

func TestTheTerminalStateDecidesTheExitStatus(t *testing.T) {
	for prompt, want := range map[string]int{"work": 0, "fail": 7, "halt": 7, "die": 7, "unsendable": 3} {
		e, _, stderr := testEnv(newFake())
		if got := e.report(send(e, prompt)); got != want {
			t.Errorf("%s: status %d, want %d\n%s", prompt, got, want, stderr)
		}
	}
}

func TestAFailureSaysWhatMendsIt(t *testing.T) {
	e, _, stderr := testEnv(newFake())
	e.report(send(e, "fail"))
	if !strings.HasSuffix(stderr.String(), "boo: goose failed: goose has no model provider\ntry: goose configure\n") {
		t.Errorf("it ends:\n%s", stderr)
	}
}

func TestWithJSONStdoutIsEventsAndNothingElse(t *testing.T) {
	e, stdout, stderr := testEnv(newFake())
	e.JSON = true
	if err := send(e, "work"); err != nil {
		t.Fatal(err)
	}
	var last orchestrator.Event
	seq := orchestrator.Seq(0)
	for dec := json.NewDecoder(strings.NewReader(stdout.String())); dec.More(); {
		last = orchestrator.Event{}
		if err := dec.Decode(&last); err != nil {
			t.Fatal(err)
		}
		if seq++; last.Seq != seq {
			t.Fatalf("event %d after %d", last.Seq, seq-1)
		}
	}
	if last.Kind != orchestrator.EventTurn || last.State != orchestrator.TurnCompleted || stderr.Len() > 0 {
		t.Errorf("last event %+v, stderr %q", last, stderr)
	}
}

func TestTurnsAheadAreNamed(t *testing.T) {
	f := newFake()
	f.ahead = []orchestrator.Turn{{ID: "t000000000", Agent: "qwen", State: orchestrator.TurnRunning}}
	e, _, stderr := testEnv(f)
	if err := send(e, "work"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stderr.String(), "waiting: turn t000000000 (qwen) is running in this chat\n") {
		t.Errorf("stderr:\n%s", stderr)
	}
}

// stopper is an output that sends signals once a text was written.
type stopper struct {
	signals chan os.Signal
	on      map[string]os.Signal
}

func (s *stopper) Write(p []byte) (int, error) {
	for text, sig := range s.on {
		if strings.Contains(string(p), text) {
			delete(s.on, text)
			s.signals <- sig
		}
	}
	return len(p), nil
}

func TestCtrlCStopsTheTurn(t *testing.T) {
	f := newFake()
	e, _, stderr := testEnv(f)
	out := &stopper{signals: make(chan os.Signal, 2), on: map[string]os.Signal{"working ": syscall.SIGINT}}
	e.Stdout = tty.New(out, tty.Options{})
	e.Signals = func() (<-chan os.Signal, func()) { return out.signals, func() {} }
	if status := e.report(send(e, "hang")); status != 130 {
		t.Errorf("status %d", status)
	}
	if len(f.stops) != 1 || f.stops[0] {
		t.Errorf("stops: %v", f.stops)
	}
	if !strings.Contains(stderr.String(), "stopping the turn") || !strings.Contains(stderr.String(), "boo: the turn was stopped by you\n") {
		t.Errorf("stderr:\n%s", stderr)
	}
}

func TestTheTurnOutlivesTermAndHup(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		f := newFake()
		e, _, stderr := testEnv(f)
		out := &stopper{signals: make(chan os.Signal, 2), on: map[string]os.Signal{"flag ": sig}}
		e.Stdout = tty.New(out, tty.Options{})
		e.Signals = func() (<-chan os.Signal, func()) { return out.signals, func() {} }
		if status := e.report(send(e, "work")); status != 0 || len(f.stops) != 0 || !strings.Contains(stderr.String(), "✓ completed") {
			t.Errorf("%v: status %d, stops %v\n%s", sig, status, f.stops, stderr)
		}
	}
}

func TestTheSecondCtrlCEndsTheAgent(t *testing.T) {
	f := newFake()
	e, _, _ := testEnv(f)
	out := &stopper{signals: make(chan os.Signal, 2), on: map[string]os.Signal{"working ": os.Interrupt}}
	talk := &stopper{signals: out.signals, on: map[string]os.Signal{"stopping the turn": os.Interrupt}}
	e.Stdout, e.Stderr = tty.New(out, tty.Options{}), tty.New(talk, tty.Options{})
	e.Signals = func() (<-chan os.Signal, func()) { return out.signals, func() {} }
	if status := e.report(send(e, "deaf")); status != 130 {
		t.Errorf("status %d", status)
	}
	if len(f.stops) != 2 || !f.stops[1] && !f.stops[0] {
		t.Errorf("stops: %v", f.stops)
	}
}

// closedPipe fails as a pipe does whose reader went away.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestAReaderWhoGoesAwayStopsTheTurn(t *testing.T) {
	f := newFake()
	e, _, _ := testEnv(f)
	e.Stdout = tty.New(closedPipe{}, tty.Options{})
	if status := e.report(send(e, "hang")); status != exitClosedPipe {
		t.Errorf("status %d", status)
	}
	if len(f.stops) != 1 || f.stops[0] {
		t.Errorf("stops: %v", f.stops)
	}
}

func attended(f *fakeService, key byte) (*env, *strings.Builder) {
	e, _, _ := testEnv(f)
	var screen strings.Builder
	out := tty.New(&screen, tty.Options{Terminal: true})
	e.Stdout, e.Stderr, e.StdinTerminal = out, out, true
	e.Key = func(_ context.Context, _ string, ask func()) (byte, error) {
		ask()
		return key, nil
	}
	return e, &screen
}

func TestPermissionIsAskedByTheRawInputAndAnsweredByKind(t *testing.T) {
	for key, answer := range map[byte]orchestrator.PermissionAnswer{
		'y': {Allow: true}, 'a': {Allow: true, Always: true}, 'n': {}, 'N': {Always: true},
	} {
		f := newFake()
		e, screen := attended(f, key)
		if err := send(e, "permission"); err != nil {
			t.Fatal(err)
		}
		if got := f.answers["q000000001"]; got != answer {
			t.Errorf("%c: %+v, want %+v", key, got, answer)
		}
		for _, part := range []string{"goose asks to run a command", "command: rm -rf build\n", "echo done", "timeout: 10", "y yes, once"} {
			if !strings.Contains(screen.String(), part) {
				t.Errorf("the question lacks %q:\n%s", part, screen)
			}
		}
		if !f.requests[0].Attended {
			t.Error("the service was not told that a person is there")
		}
	}
}

func TestCtrlCAtAQuestionStopsTheTurn(t *testing.T) {
	f := newFake()
	e, _ := attended(f, tty.CtrlC)
	if status := e.report(send(e, "permission")); status != 130 || len(f.answers) > 0 {
		t.Errorf("status %d, answers %v", status, f.answers)
	}
}

func TestWithNobodyThereThePolicyAnswers(t *testing.T) {
	f := newFake()
	e, _, stderr := testEnv(f)
	if err := send(e, "permission"); err != nil {
		t.Fatal(err)
	}
	if f.requests[0].Attended || !strings.Contains(stderr.String(), "refused by policy") {
		t.Errorf("attended %v, stderr:\n%s", f.requests[0].Attended, stderr)
	}
}

func TestThePromptComesFromArgumentsStdinOrTheEditor(t *testing.T) {
	type result struct {
		text string
		code orchestrator.Code
	}
	for name, c := range map[string]struct {
		args   []string
		stdin  string
		editor func(file string) error
		want   result
	}{
		"one argument": {args: []string{"do it"}, want: result{text: "do it"}},
		"several":      {args: []string{"do", "it"}, want: result{text: "do it"}},
		"stdin":        {args: []string{"-"}, stdin: "from\nstdin\n", want: result{text: "from\nstdin\n"}},
		"nobody there": {want: result{code: orchestrator.CodeInvalid}},
		"editor": {
			editor: func(file string) error {
				old, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				return os.WriteFile(file, append([]byte("# Task\nwrite it\n"), old...), 0o600)
			},
			want: result{text: "# Task\nwrite it"},
		},
		"editor, nothing written": {editor: func(string) error { return nil }, want: result{code: orchestrator.CodeInvalid}},
		"editor fails": {
			editor: func(string) error { return &foreground.Error{Name: "sh", Code: 1} },
			want:   result{code: orchestrator.CodeInvalid},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			e, _, _ := testEnv(nil)
			e.Stdin, e.StdinTerminal = strings.NewReader(c.stdin), c.editor != nil
			e.Getenv = vars(map[string]string{"EDITOR": "edit"})
			e.Run = func(_ context.Context, p foreground.Program) error { return c.editor(p.Args[len(p.Args)-1]) }
			p, err := readPrompt(t.Context(), e, c.args)
			if p.text != c.want.text || (err != nil) != (c.want.code != "") || err != nil && orchestrator.CodeOf(err) != c.want.code {
				t.Errorf("got %q, %v; want %+v", p.text, err, c.want)
			}
			p.discard()
			if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestAPromptThatCannotBeSentIsKept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	e, _, stderr := testEnv(newFake())
	e.StdinTerminal = true
	e.Getenv = vars(map[string]string{"VISUAL": "edit"})
	e.Run = func(_ context.Context, p foreground.Program) error {
		return os.WriteFile(p.Args[len(p.Args)-1], []byte("unsendable"), 0o600)
	}
	if err := runSend(t.Context(), e, sendOptions{}); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Fatal(err)
	}
	_, file, _ := strings.Cut(strings.TrimSpace(stderr.String()), "your prompt is kept in ")
	if text, err := os.ReadFile(file); err != nil || string(text) != "unsendable" {
		t.Errorf("%q: %q, %v", file, text, err)
	}
}
