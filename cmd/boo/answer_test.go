package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator"
)

const bugSchema = `{"type":"array","items":{"type":"object","properties":{"line":{"type":"integer"}},"required":["line"]}}`

func schemaFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnAnswerHasToFitTheSchema(t *testing.T) {
	s, err := readSchema(schemaFile(t, bugSchema))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`[{"line": 7}]`:                  "",
		"```json\n[{\"line\":7}]\n```\n": "",
		"  []\n":                         "",
		`[{"line":"7"}]`:                 "/properties/line",
		`[{}]`:                           "missing properties",
		`Here: [{"line":7}]`:             "not JSON",
		`[] and more`:                    "not JSON",
		"":                               "not JSON",
	} {
		_, err := s.check(text)
		if want == "" && err != nil || want != "" && (orchestrator.CodeOf(err) != orchestrator.CodeAgent || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestASchemaThatIsNoneIsRefusedBeforeAnythingIsSent(t *testing.T) {
	for text, code := range map[string]orchestrator.Code{
		`{`: orchestrator.CodeInvalid, `{"type":"nonsense"}`: orchestrator.CodeInvalid, `{"items":{"anyOf":[{"type":"text"}]}}`: orchestrator.CodeInvalid,
		`{"$ref":"https://example.invalid/schema.json"}`: orchestrator.CodeInvalid,
	} {
		if _, err := readSchema(schemaFile(t, text)); orchestrator.CodeOf(err) != code || !strings.Contains(err.Error(), "nothing was sent") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := readSchema("/there/is/none.json"); orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestTheAnswerIsTheLastMessage(t *testing.T) {
	var a answer
	text := func(id, text string) orchestrator.Event {
		return orchestrator.Event{Kind: orchestrator.EventText, MessageID: id, Text: text}
	}
	tool := orchestrator.Event{Kind: orchestrator.EventTool, Tool: &orchestrator.ToolCall{}}
	for _, step := range []struct {
		ev   orchestrator.Event
		want string
	}{
		{text("", "I will "), "I will "}, {text("", "look."), "I will look."}, {tool, "I will look."}, {text("", "Done"), "Done"},
		{text("m1", "[1,"), "[1,"}, {tool, "[1,"}, {text("m1", "2]"), "[1,2]"}, {text("m2", "[]"), "[]"},
	} {
		if a.note(step.ev); a.text.String() != step.want {
			t.Errorf("the answer is %q, want %q", a.text.String(), step.want)
		}
	}
}

func TestARunPrintsTheAnswerAlone(t *testing.T) {
	schema, err := readSchema(schemaFile(t, `{"type":"string"}`))
	if err != nil {
		t.Fatal(err)
	}
	f := newFake()
	e, stdout, stderr := testEnv(f)
	o := sendOptions{New: true, Once: true, Schema: schema, Prompt: []string{"answer"}}
	if err := runSend(t.Context(), e, o); err != nil || stdout.String() != "\"fine\"\n" || !strings.Contains(stderr.String(), "completed") {
		t.Errorf("%v, stdout %q, stderr:\n%s", err, stdout, stderr)
	}
	if len(f.chatClosed) != 1 || f.chatClosed[0] != "c000000001" {
		t.Errorf("closed: %v", f.chatClosed)
	}
	if req := f.requests[0]; !req.Once || !req.New || !strings.Contains(req.Prompt, `{"type":"string"}`) {
		t.Errorf("sent %+v", req)
	}
	o.Prompt = []string{"work"}
	e, stdout, _ = testEnv(newFake())
	if status := e.report(runSend(t.Context(), e, o)); status != 7 || stdout.Len() > 0 {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
}
