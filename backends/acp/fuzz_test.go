package acp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"boo/backends/acp"
	"boo/orchestrator"
)

func TestLinesAreSplitWhereverTheReadsFall(t *testing.T) {
	const limit = 10
	in := "one\r\ntwo\n\n" + strings.Repeat("x", 100_000) + "\nthree\nhalf"
	want := []string{"one", "two", "", "three", "half"}
	if got := acp.Lines(strings.NewReader(in), limit); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("lines = %q", got)
	}
	if got := acp.Lines(iotest.OneByteReader(strings.NewReader(in)), limit); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("byte by byte: lines = %q", got)
	}
}

func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x","data":{"details":"NotFoundError"}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"session/request_permission","params":{}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{}}` + "\n" + `{"id":null,"result":null}`,
		"banner\r\n\n", `{"id":`, "\xff\xfe", `{"method":7}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		const limit = 64
		lines := acp.Lines(bytes.NewReader(in), limit)
		if chopped := acp.Lines(iotest.HalfReader(bytes.NewReader(in)), limit); fmt.Sprint(chopped) != fmt.Sprint(lines) {
			t.Fatalf("%q depends on how it is read: %q, %q", in, lines, chopped)
		}
		for _, line := range lines {
			if len(line) > limit || strings.Contains(line, "\n") {
				t.Fatalf("line %q", line)
			}
			if kind := acp.Decode([]byte(line)); kind != "noise" && !json.Valid(bytes.ToValidUTF8([]byte(line), []byte("\uFFFD"))) {
				t.Fatalf("%q is a %s", line, kind)
			}
		}
	})
}

func FuzzUpdates(f *testing.F) {
	for _, seed := range []string{
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"_meta":{"usage":{"inputTokens":-1}}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","status":null,"content":[{"type":"diff"},null],"locations":[{}],"rawInput":[1]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","rawOutput":"x"}`,
		`{"sessionUpdate":"plan","entries":[{"content":"a"}]}`,
		`{"sessionUpdate":"usage_update","used":-1,"size":1e3,"cost":{"amount":-1}}`,
		`{"sessionUpdate":"config_option_update","configOptions":[null,7,{"id":"mode","currentValue":"x"}]}`,
		`{"sessionUpdate":"current_mode_update","currentModeId":"x"}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":null}`,
		`{"sessionUpdate":"user_message_chunk"}`, `{"sessionUpdate":7}`, `null`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if !json.Valid(in) {
			return
		}
		for _, ev := range acp.Events(in, in) {
			if _, err := json.Marshal(ev); err != nil {
				t.Fatalf("%s became an event that cannot be stored: %v", in, err)
			}
			if ev.Kind == "" || ev.Text == "after the end" {
				t.Fatalf("%s became %+v", in, ev)
			}
			if ev.Kind == orchestrator.EventTool && (ev.Tool.ID == "" || ev.Tool.Status == "") {
				t.Fatalf("%s became %+v", in, ev.Tool)
			}
		}
	})
}
