package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

func TestChatLsIsATableAndSaysWhatToDoWhenItIsEmpty(t *testing.T) {
	f := newFake()
	e, stdout, stderr := testEnv(f)
	if err := runChatLs(t.Context(), e, false); err != nil || stdout.Len() > 0 || !strings.Contains(stderr.String(), "boo chat send") {
		t.Errorf("empty: %v, %q, %q", err, stdout, stderr)
	}
	now := time.Unix(1_800_000_000, 0)
	e.Now = func() time.Time { return now }
	f.chats = []orchestrator.ChatSummary{{
		Chat:     orchestrator.Chat{ID: "c000000001", Title: "Add a \x1b[31mflag", State: orchestrator.ChatOpen, LastUsedAt: now.Add(-3 * time.Hour)},
		RepoRoot: "/home/pat/greet", Turns: 2, Pending: 5, Agents: []orchestrator.AgentName{"goose", "qwen"}, LastState: orchestrator.TurnCompleted,
	}}
	if err := runChatLs(t.Context(), e, true); err != nil {
		t.Fatal(err)
	}
	want := "CHAT        USED     TURNS  PENDING  LAST       AGENTS       TITLE\n" +
		"c000000001  3 h ago      2        5  completed  goose, qwen  greet: Add a ␛[31mflag\n"
	if stdout.String() != want {
		t.Errorf("got\n%swant\n%s", stdout, want)
	}
}

func TestChatLogTellsWhatHappenedOnStdout(t *testing.T) {
	f := newFake()
	e, stdout, stderr := testEnv(f)
	f.requests = []orchestrator.SendRequest{{Prompt: "work on it"}}
	if err := f.Follow(t.Context(), "", 0, func(ev orchestrator.Event) error {
		f.log = append(f.log, ev)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := runChatLog(t.Context(), e, logOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"── you to goose ", "\nwork on it\n── goose\n", "✓ edit greet.go\n", "✓ completed in 12.3 s"} {
		if !strings.Contains(stdout.String(), part) {
			t.Errorf("the log lacks %q:\n%s", part, stdout)
		}
	}
	if strings.Contains(stdout.String(), "● edit") || stderr.Len() > 0 {
		t.Errorf("stdout:\n%sstderr:\n%s", stdout, stderr)
	}

	e, stdout, _ = testEnv(f)
	e.JSON = true
	if err := runChatLog(t.Context(), e, logOptions{Count: 2}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(stdout.String()), "\n"); len(lines) != 2 || !strings.Contains(lines[1], `"state":"completed"`) {
		t.Errorf("-n 2: %q", lines)
	}
}

func TestApplySaysHowToUndoAndNamesConflicts(t *testing.T) {
	f := newFake()
	f.apply = orchestrator.ApplyResult{Checkout: "/home/pat/greet", Files: []orchestrator.AppliedFile{
		{FileStat: orchestrator.FileStat{Path: "greet.go", Op: orchestrator.OpEdit, Added: 2, Deleted: 1}, Merged: true},
	}}
	e, stdout, stderr := testEnv(f)
	if err := runPendingApply(t.Context(), e, orchestrator.ChangeSelector{}, orchestrator.ApplyOptions{}, false); err != nil {
		t.Fatal(err)
	}
	if stdout.String() != "M  greet.go  +2  -1  merged with your edits\n" || !strings.Contains(stderr.String(), "boo pending undo") {
		t.Errorf("stdout %q, stderr %q", stdout, stderr)
	}

	f.apply = orchestrator.ApplyResult{Conflict: []orchestrator.PathConflict{{Path: "greet.go", Reason: "both changed line 3"}}}
	f.applied = orchestrator.Errorf(orchestrator.CodeConflict, "1 path collides; nothing was changed")
	e, stdout, stderr = testEnv(f)
	if status := e.report(runPendingApply(t.Context(), e, orchestrator.ChangeSelector{}, orchestrator.ApplyOptions{}, false)); status != 8 || stdout.Len() > 0 {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
	if !strings.Contains(stderr.String(), "conflict  greet.go: both changed line 3\n") {
		t.Errorf("stderr %q", stderr)
	}
}

// oneAgent is a registry of goose alone.
type oneAgent struct {
	agentRegistry
	found  backends.Found
	err    error
	report backends.Report
}

func (o oneAgent) Definitions() []backends.Definition { return backends.Builtin()[:1] }

func (o oneAgent) Definition(orchestrator.AgentName) (backends.Definition, error) {
	return backends.Builtin()[0], nil
}

func (o oneAgent) Find(orchestrator.AgentName) (backends.Found, error) { return o.found, o.err }

func (o oneAgent) Doctor(context.Context, orchestrator.AgentName, bool) (backends.Report, error) {
	return o.report, nil
}

func agentEnv(o oneAgent) (e *env, stdout, stderr *strings.Builder) {
	e, stdout, stderr = testEnv(nil)
	e.Getenv = vars(map[string]string{"BOO_HOME": "/there/is/none"})
	e.Agents = func(dirs, config) (agentTools, error) {
		return agentTools{Registry: o, Install: func(_ context.Context, _ backends.Definition, progress func(int64, int64, string)) (string, error) {
			progress(1<<20, 287<<20, "\x1b[2Jnpm")
			progress(2<<20, 287<<20, "npm")
			return "/data/goose", o.err
		}}, nil
	}
	return e, stdout, stderr
}

func TestAgentsLsSaysWhereAnAgentIsAndHowToGetIt(t *testing.T) {
	e, stdout, _ := agentEnv(oneAgent{found: backends.Found{Path: "/usr/bin/goose", Source: backends.SourcePath}})
	if err := runAgentsLs(e); err != nil || !strings.Contains(stdout.String(), "goose  yes        ?        PATH  /usr/bin/goose\n") {
		t.Errorf("%v:\n%s", err, stdout)
	}
	missing := orchestrator.Errorf(orchestrator.CodeAgent, "not installed").WithHint("boo agents install goose")
	e, stdout, _ = agentEnv(oneAgent{err: missing})
	if err := runAgentsLs(e); err != nil || !strings.Contains(stdout.String(), "try: boo agents install goose\n") {
		t.Errorf("%v:\n%s", err, stdout)
	}
}

func TestInstallTellsOnceInAPipeAndPrintsTheProgram(t *testing.T) {
	e, stdout, stderr := agentEnv(oneAgent{report: backends.Report{Protocol: "acp/1", Ready: true}})
	if err := runAgentsInstall(t.Context(), e, "goose"); err != nil || stdout.String() != "/data/goose\n" {
		t.Errorf("%v, stdout %q", err, stdout)
	}
	if n := strings.Count(stderr.String(), "installing goose"); n != 1 {
		t.Errorf("told %d times:\n%s", n, stderr)
	}
	e, _, _ = agentEnv(oneAgent{report: backends.Report{Problem: "no sign of life"}})
	if err := runAgentsInstall(t.Context(), e, "goose"); orchestrator.CodeOf(err) != orchestrator.CodeAgent {
		t.Errorf("an agent that does not answer: %v", err)
	}
	e, _, _ = agentEnv(oneAgent{err: errors.New("no npm")})
	if err := runAgentsInstall(t.Context(), e, "goose"); err == nil {
		t.Error("a failed installation is a success")
	}
}

func TestDoctorSaysWhatIsMissing(t *testing.T) {
	e, stdout, stderr := agentEnv(oneAgent{report: backends.Report{
		Title: "goose", Found: &backends.Found{Path: "/usr/bin/goose", Source: backends.SourcePath}, Version: "1.52.0", Protocol: "acp/1",
		Problem: "goose has no model provider", Hint: "goose configure", Code: orchestrator.CodeAgent,
	}})
	if status := e.report(runAgentsDoctor(t.Context(), e, "goose", false)); status != 7 {
		t.Errorf("status %d", status)
	}
	for _, part := range []string{"✓  program  /usr/bin/goose (from PATH)\n", "✓  speaks   acp/1, version 1.52.0\n", "✗  session  goose has no model provider\n"} {
		if !strings.Contains(stdout.String(), part) {
			t.Errorf("the report lacks %q:\n%s", part, stdout)
		}
	}
	if !strings.HasSuffix(stderr.String(), "boo: goose cannot be used yet\ntry: goose configure\n") {
		t.Errorf("stderr:\n%s", stderr)
	}
}
