package scriptedagent_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"boo/backends/backendtest/scriptedagent"
)

// TestMain makes the test binary a scripted agent.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "boo-agent" {
		syscall.Exit(scriptedagent.Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// peer speaks with a running agent and holds all it says to the protocol's
// official schema.
type peer struct {
	t       *testing.T
	in      io.WriteCloser
	out     *bufio.Reader
	cmd     *exec.Cmd
	schemas *jsonschema.Compiler
	file    string
	id      int
	kinds   []string // of updates, in order
}

func dial(t *testing.T, store string) *peer {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/coder/acp-go-sdk").Output()
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, schemas: jsonschema.NewCompiler(), file: filepath.Join(strings.TrimSpace(string(dir)), "schema", "schema.json")}
	p.cmd = exec.CommandContext(t.Context(), os.Args[0], "boo-agent", "--store", store, "--resume")
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// end closes stdin and expects the agent to exit with 0.
func (p *peer) end() {
	p.t.Helper()
	_ = p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("the agent's end: %v", err)
	}
}

func (p *peer) conforms(definition string, raw json.RawMessage) {
	p.t.Helper()
	schema, err := p.schemas.Compile("file://" + p.file + "#/$defs/" + definition)
	if err != nil {
		p.t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		p.t.Errorf("%s: %v\n%s", definition, err, raw)
	}
}

func (p *peer) write(message map[string]any) {
	p.t.Helper()
	message["jsonrpc"] = "2.0"
	data, err := json.Marshal(message)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(data, '\n')); err != nil {
		p.t.Fatal(err)
	}
}

// call makes a request, takes the updates and permission requests that come
// first, and returns the answer, which definition describes.
func (p *peer) call(method, definition string, params map[string]any) map[string]any {
	p.t.Helper()
	p.id++
	p.write(map[string]any{"id": p.id, "method": method, "params": params})
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			p.t.Fatalf("%s: %v", method, err)
		}
		var f struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &f); err != nil {
			p.t.Fatal(err)
		}
		switch f.Method {
		case "session/update":
			p.conforms("SessionNotification", f.Params)
			var u struct {
				Update struct{ SessionUpdate string }
			}
			_ = json.Unmarshal(f.Params, &u)
			p.kinds = append(p.kinds, u.Update.SessionUpdate)
		case "session/request_permission":
			p.conforms("RequestPermissionRequest", f.Params)
			p.write(map[string]any{"id": f.ID, "result": map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": "yes"}}})
		case "":
			if f.Error != nil {
				p.t.Fatalf("%s: %s", method, f.Error)
			}
			p.conforms(definition, f.Result)
			var result map[string]any
			_ = json.Unmarshal(f.Result, &result)
			return result
		}
	}
}

func TestWhatItSaysIsByTheProtocol(t *testing.T) {
	store, cwd := t.TempDir(), t.TempDir()
	initialize := map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{}}
	p := dial(t, store)
	p.call("initialize", "InitializeResponse", initialize)
	id := p.call("session/new", "NewSessionResponse", map[string]any{"cwd": cwd, "mcpServers": []any{}})["sessionId"]
	p.call("session/set_mode", "SetSessionModeResponse", map[string]any{"sessionId": id, "modeId": "auto"})
	text := "think hm ;; plan a | b ;; write a.txt with b ;; edit a.txt replace b by c ;; edit a.txt replace b by c ;; run false ;; ask ;; remember plum"
	prompt := map[string]any{"sessionId": id, "prompt": []any{map[string]any{"type": "text", "text": text}}}
	if got := p.call("session/prompt", "PromptResponse", prompt)["stopReason"]; got != "end_turn" {
		t.Errorf("ended with %v", got)
	}
	p.end()

	again := dial(t, store)
	again.call("initialize", "InitializeResponse", initialize)
	again.call("session/load", "LoadSessionResponse", map[string]any{"sessionId": id, "cwd": cwd, "mcpServers": []any{}})
	if got := strings.Join(again.kinds, " "); got != "user_message_chunk agent_message_chunk" {
		t.Errorf("replayed %q", got)
	}
	again.call("session/resume", "ResumeSessionResponse", map[string]any{"sessionId": id, "cwd": cwd, "mcpServers": []any{}})
	again.end()
}
