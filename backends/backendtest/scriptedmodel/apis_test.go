package scriptedmodel_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// api is one way to ask the model: it makes the body of a request of what was
// said so far, the last of it a tool's result if result is set.
type api struct {
	path string
	body func(prompts []string, result string) any
	call string // what stands in an answer that calls the shell
}

var shell = map[string]any{"properties": map[string]any{"command": map[string]any{}}}

type list = []any

var apis = map[string]api{
	"messages": {"/v1/messages?beta=true", func(prompts []string, result string) any {
		content := list{msg{"type": "text", "text": "<system-reminder>\nsay no\n</system-reminder>"}}
		for _, prompt := range prompts {
			content = append(content, msg{"type": "text", "text": prompt})
		}
		messages := list{msg{"role": "user", "content": content}}
		if result != "" {
			messages = append(messages, msg{"role": "assistant", "content": "right"}, msg{"role": "user", "content": list{
				msg{"type": "tool_result", "tool_use_id": "x", "content": list{msg{"type": "text", "text": result}}},
				msg{"type": "text", "text": "<system-reminder>\nsay no\n</system-reminder>"},
			}})
		}
		return msg{"stream": true, "messages": messages, "tools": list{msg{"name": "Bash", "input_schema": shell}}}
	}, `{"command":"echo hi"}`},
	"responses": {"/v1/responses", func(prompts []string, result string) any {
		input := list{msg{"type": "message", "role": "user", "content": list{msg{"type": "input_text", "text": "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"}}}}
		for _, prompt := range prompts {
			input = append(input, msg{"type": "message", "role": "user", "content": list{msg{"type": "input_text", "text": prompt}}})
		}
		if result != "" {
			input = append(input, msg{"type": "function_call", "call_id": "x"}, msg{"type": "function_call_output", "call_id": "x", "output": result})
		}
		return msg{"stream": true, "input": input, "tools": list{msg{"type": "function", "name": "exec_command", "parameters": msg{"properties": msg{"cmd": msg{}}}}}}
	}, `{"cmd":"echo hi"}`},
	"generateContent": {"/v1beta/models/some-model:streamGenerateContent?alt=sse", func(prompts []string, result string) any {
		var contents list
		for _, prompt := range prompts {
			contents = append(contents, msg{"role": "user", "parts": list{msg{"text": prompt}}})
		}
		if result != "" {
			contents = append(contents, msg{"role": "user", "parts": list{msg{"functionResponse": msg{"name": "x", "response": msg{"output": result}}}}})
		}
		return msg{"contents": contents, "tools": list{msg{"functionDeclarations": list{msg{"name": "run_shell_command", "parametersJsonSchema": shell}}}}}
	}, `{"command":"echo hi"}`},
}

// said asks the model and returns its whole answer, unescaped so far that
// texts and arguments can be found in it.
func (a api) said(t *testing.T, prompts []string, result string) string {
	t.Helper()
	s := start(t)
	body, err := json.Marshal(a.body(prompts, result))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(s.URL()+a.path, "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(`\"`, `"`, `\n`, "\n").Replace(string(all))
}

func TestEveryApiPlaysTheSameScript(t *testing.T) {
	for name, a := range apis {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				prompts []string
				result  string
				want    []string
			}{
				{[]string{"think hm ;; say hello"}, "", []string{"hm", "hello\n"}},
				{[]string{"say first ;; run echo hi"}, "", []string{"first\n", a.call}},
				{[]string{"run echo hi ;; report"}, "forty-two", []string{"forty-two\n"}},
				{[]string{"remember plum", "say other", "recall"}, "", []string{"remember plum."}},
				{[]string{"flood 3 chunks"}, "", []string{"chunk1 ", "chunk2 ", "chunk3 "}},
				{[]string{"status 429 slow down"}, "", []string{"slow down"}},
				{[]string{"write a.txt with one"}, "", []string{`printf %s 'one`}},
			} {
				said := a.said(t, c.prompts, c.result)
				if i := slices.IndexFunc(c.want, func(w string) bool { return !strings.Contains(said, w) }); i >= 0 {
					t.Errorf("%q: %q is not in\n%s", c.prompts, c.want[i], said)
				}
			}
		})
	}
}

func TestAWholePathIsGivenWhereTheToolAsksForIt(t *testing.T) {
	s := start(t)
	write := json.RawMessage(`[{"function":{"name":"write_file","parameters":{"properties":{"file_path":{"description":"the absolute path"},"content":{}}}}}]`)
	for system, want := range map[string]string{
		"Working directory: /home/pat/tree\nOther: x": "/home/pat/tree/a.txt",
		"- **Workspace Directories:**\n  - /w":        "/w/a.txt",
		"nothing is said about it":                    `"a.txt`,
	} {
		res, err := ask(t, t.Context(), s, map[string]any{"tools": write, "messages": []msg{{"role": "system", "content": system}, user("write a.txt with b")}})
		if err != nil {
			t.Fatal(err)
		}
		all, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if !strings.Contains(strings.ReplaceAll(string(all), `\"`, `"`), want) {
			t.Errorf("%q: %q is not in %s", system, want, all)
		}
	}
}
