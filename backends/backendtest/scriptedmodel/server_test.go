package scriptedmodel_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"boo/backends/backendtest/scriptedmodel"
)

func start(t *testing.T) *scriptedmodel.Server {
	t.Helper()
	s, err := scriptedmodel.Start(scriptedmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// msg is a message of a request.
type msg map[string]any

func user(text string) msg { return msg{"role": "user", "content": text} }

var tools = json.RawMessage(`[
	{"type":"function","function":{"name":"write","parameters":{"properties":{"path":{},"content":{}}}}},
	{"type":"function","function":{"name":"edit","parameters":{"properties":{"path":{},"before":{},"after":{}}}}},
	{"type":"function","function":{"name":"dev__shell","parameters":{"properties":{"command":{}}}}},
	{"type":"function","function":{"name":"todo_write","parameters":{"properties":{"todos":{}}}}}]`)

func ask(t *testing.T, ctx context.Context, s *scriptedmodel.Server, body map[string]any) (*http.Response, error) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/v1/chat/completions", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return http.DefaultClient.Do(req)
}

// reply is an answer that was not streamed.
type reply struct {
	Choices []struct {
		Message struct {
			Content   string `json:"content"`
			Reasoning string `json:"reasoning_content"`
			ToolCalls []struct {
				ID       string `json:"id"`
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		Finish string `json:"finish_reason"`
	}
	Usage struct {
		Total int `json:"total_tokens"`
	}
}

func answerTo(t *testing.T, s *scriptedmodel.Server, messages ...msg) reply {
	t.Helper()
	res, err := ask(t, t.Context(), s, map[string]any{"messages": messages, "tools": tools})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var r reply
	if err := json.NewDecoder(res.Body).Decode(&r); err != nil || res.StatusCode != http.StatusOK || len(r.Choices) != 1 {
		t.Fatalf("status %d, error %v, answer %+v", res.StatusCode, err, r)
	}
	return r
}

func TestAnswersWithTextAndReasoning(t *testing.T) {
	r := answerTo(t, start(t), user("think hm ;; say hello"))
	m := r.Choices[0].Message
	if m.Reasoning != "hm\n" || m.Content != "hello\n" || r.Choices[0].Finish != "stop" || r.Usage.Total == 0 {
		t.Errorf("got %+v", r)
	}
}

func TestPlaysStepsAsSuccessiveToolCalls(t *testing.T) {
	s := start(t)
	prompt := user("say first ;; write a.txt with b ;; edit a.txt replace b by c ;; run cat a.txt ;; plan x | y ;; report")
	result := msg{"role": "tool", "content": []msg{{"type": "text", "text": "42"}}}
	want := []struct{ tool, args string }{
		{"write", `{"content":"b\n","path":"a.txt"}`},
		{"edit", `{"after":"c","before":"b","path":"a.txt"}`},
		{"dev__shell", `{"command":"cat a.txt"}`},
		{"todo_write", `{"todos":[{"content":"x","description":"x","id":"1","priority":"medium","status":"in_progress"},{"content":"y","description":"y","id":"2","priority":"medium","status":"pending"}]}`},
	}
	messages := []msg{prompt}
	ids := map[string]bool{}
	for _, w := range want {
		r := answerTo(t, s, messages...)
		calls := r.Choices[0].Message.ToolCalls
		if len(calls) != 1 || calls[0].Function.Name != w.tool || calls[0].Function.Arguments != w.args || r.Choices[0].Finish != "tool_calls" {
			t.Fatalf("got %+v, want %+v", r, w)
		}
		ids[calls[0].ID] = true
		messages = append(messages, msg{"role": "assistant", "content": nil}, result)
	}
	if len(ids) != len(want) {
		t.Errorf("ids of tool calls are not unique: %v", ids)
	}
	if got := answerTo(t, s, messages...).Choices[0].Message.Content; got != "42\n" {
		t.Errorf("report said %q", got)
	}
}

func TestSaysDoneAfterTheLastTool(t *testing.T) {
	r := answerTo(t, start(t), user("run true"), msg{"role": "assistant"}, msg{"role": "tool", "content": ""})
	if got := r.Choices[0].Message.Content; got != "Done.\n" {
		t.Errorf("got %q", got)
	}
}

func TestMissingToolIsSaid(t *testing.T) {
	s := start(t)
	res, err := ask(t, t.Context(), s, map[string]any{
		"messages": []msg{user("write a with b")},
		"tools":    json.RawMessage(`[{"function":{"name":"write","parameters":{"properties":{"where":{}}}}}]`),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if data, _ := io.ReadAll(res.Body); !strings.Contains(string(data), "no tool with which I could write") {
		t.Errorf("got %s", data)
	}
}

func TestRecallIsAnsweredFromTheMessages(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		messages []msg
		want     string
	}{
		{[]msg{user("recall")}, "I remember nothing.\n"},
		{[]msg{user("remember red"), user("remember blue ;; say ok"), {"role": "assistant", "content": "remember green"}, user("recall")}, "You asked me to remember blue.\n"},
		{[]msg{user("<history>\nyou: remember plum\n</history>\nrecall")}, "You asked me to remember plum.\n"},
	} {
		if got := answerTo(t, s, c.messages...).Choices[0].Message.Content; got != c.want {
			t.Errorf("%v: got %q, want %q", c.messages, got, c.want)
		}
	}
}

func TestPlainPromptAndSideCallGetOneLine(t *testing.T) {
	s := start(t)
	if got := answerTo(t, s, user("How are you?")).Choices[0].Message.Content; !strings.Contains(got, "scripted model") {
		t.Errorf("got %q", got)
	}
	res, err := ask(t, t.Context(), s, map[string]any{"messages": []msg{user("hang")}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	requests := s.Requests()
	if len(requests) != 2 || requests[0].Side || !requests[1].Side || s.Count() != 1 {
		t.Errorf("recorded %+v", requests)
	}
	if !bytes.Contains(requests[0].Body, []byte("How are you?")) || requests[0].Path != "/v1/chat/completions" {
		t.Errorf("recorded %s %s", requests[0].Path, requests[0].Body)
	}
}

func TestStatusIsAnswered(t *testing.T) {
	res, err := ask(t, t.Context(), start(t), map[string]any{"stream": true, "messages": []msg{user("status 429 slow down")}, "tools": tools})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if data, _ := io.ReadAll(res.Body); res.StatusCode != 429 || !strings.Contains(string(data), `"message":"slow down"`) {
		t.Errorf("got %d %s", res.StatusCode, data)
	}
}

func TestUnreadableRequestIsRefused(t *testing.T) {
	res, err := http.Post(start(t).URL()+"/v1/chat/completions", "application/json", strings.NewReader("{"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusBadRequest {
		t.Errorf("got %d", res.StatusCode)
	}
}

func TestModelsAreListed(t *testing.T) {
	res, err := http.Get(start(t).URL() + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if data, _ := io.ReadAll(res.Body); !strings.Contains(string(data), scriptedmodel.Model) {
		t.Errorf("got %s", data)
	}
}

// stream asks for a streamed answer and returns its lines.
func stream(t *testing.T, ctx context.Context, s *scriptedmodel.Server, prompt string) (*bufio.Scanner, io.Closer) {
	t.Helper()
	res, err := ask(t, ctx, s, map[string]any{
		"stream": true, "stream_options": msg{"include_usage": true}, "messages": []msg{user(prompt)}, "tools": tools,
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 4<<20)
	return lines, res.Body
}

func TestStreamedAnswerIsServerSentEvents(t *testing.T) {
	lines, body := stream(t, t.Context(), start(t), "think hm ;; say hi ;; run true")
	defer body.Close()
	var all strings.Builder
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
	}
	for _, want := range []string{`"reasoning_content":"hm\n"`, `"content":"hi\n"`, `"name":"dev__shell"`, `"finish_reason":"tool_calls"`, `"choices":[],"usage":{"prompt_tokens":`, "data: [DONE]"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%s is not in\n%s", want, all.String())
		}
	}
}

func TestFloodLosesNothing(t *testing.T) {
	lines, body := stream(t, t.Context(), start(t), "flood 20000 chunks ;; flood 1000000 bytes")
	defer body.Close()
	chunks, longest := 0, 0
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"content":"chunk`) {
			chunks++
		}
		longest = max(longest, len(lines.Text()))
	}
	if chunks != 20000 || longest < 1000000 {
		t.Errorf("%d chunks, longest line %d", chunks, longest)
	}
}

func TestCutDropsTheConnection(t *testing.T) {
	res, err := ask(t, t.Context(), start(t), map[string]any{"stream": true, "messages": []msg{user("cut")}, "tools": tools})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if data, err := io.ReadAll(res.Body); err == nil || !strings.Contains(string(data), "about to") {
		t.Errorf("got %q, error %v", data, err)
	}
}

func TestHangEndsWithItsClient(t *testing.T) {
	s := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		res, err := ask(t, ctx, s, map[string]any{"stream": true, "messages": []msg{user("hang")}, "tools": tools})
		if err == nil {
			_ = res.Body.Close()
		}
		failed <- err
	}()
	if err := s.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-failed; err == nil {
		t.Error("a hanging request was answered")
	}
}

func TestCloseEndsEveryAnswer(t *testing.T) {
	s := start(t)
	lines, body := stream(t, t.Context(), s, "stall")
	defer body.Close()
	slow, slowBody := stream(t, t.Context(), s, "stream 1000 words every 1h")
	defer slowBody.Close()
	if !lines.Scan() || !slow.Scan() {
		t.Fatal("no answer began")
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = s.Close()
		_ = s.Close()
	}()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Fatal("close waits for an answer that never ends")
	}
	if lines.Scan(); lines.Scan() {
		t.Errorf("an answer goes on: %s", lines.Text())
	}
}
