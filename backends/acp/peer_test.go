package acp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"boo/backends"
	"boo/backends/acp"
	"boo/orchestrator"
)

// process is an agent's process without a process: two pipes and an end.
type process struct {
	stdin  *io.PipeWriter
	stdout *io.PipeReader
	agent  *peer

	mu     sync.Mutex
	stderr string
	exit   backends.Exit
	ended  bool
	kills  int
	done   chan struct{}
}

func (p *process) Stdin() io.WriteCloser          { return p.stdin }
func (p *process) Stdout() io.Reader              { return p.stdout }
func (p *process) Identity() orchestrator.Process { return orchestrator.Process{PID: 1} }
func (p *process) Done() <-chan struct{}          { return p.done }
func (p *process) Tree() backends.TreeUse         { return backends.TreeUse{Processes: 1, Memory: 1 << 20} }

func (p *process) Stderr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr
}

// complain writes to standard error.
func (p *process) complain(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stderr = text
}

func (p *process) Exit() backends.Exit {
	<-p.done
	return p.exit
}

func (p *process) EndPart(context.Context, string, time.Duration) error { panic("no part is known") }

func (p *process) End(context.Context, time.Duration) error {
	p.mu.Lock()
	p.kills++
	p.mu.Unlock()
	p.end(backends.Exit{Code: -1, Signal: "terminated"})
	return nil
}

func (p *process) end(e backends.Exit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended, p.exit = true, e
	_ = p.agent.out.Close()
	_ = p.agent.in.CloseWithError(io.ErrClosedPipe)
	close(p.done)
}

// peer is the agent's side, played by a test. Everything it reads is checked
// against the official schema.
type peer struct {
	t    *testing.T
	in   *io.PipeReader
	out  *io.PipeWriter
	r    *bufio.Reader
	proc *process
}

// frame is a message that the peer has read.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code int `json:"code"`
	} `json:"error"`
}

func newProcess(t *testing.T) *process {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &process{stdin: inW, stdout: outR, done: make(chan struct{})}
	p.agent = &peer{t: t, in: inR, out: outW, r: bufio.NewReader(inR), proc: p}
	return p
}

// next reads a message; ok is false when boo has closed the input.
func (p *peer) next() (f frame, ok bool) {
	line, err := p.r.ReadBytes('\n')
	if err != nil {
		return f, false
	}
	if err := json.Unmarshal(line, &f); err != nil {
		p.t.Errorf("boo sent a line that is no JSON: %v", err)
	}
	switch {
	case f.Method != "":
		if err := conforms(f.Method, f.Params); err != nil {
			p.t.Errorf("%s is not as the protocol wants it: %v", f.Method, err)
		}
	case f.Result != nil:
		if err := conforms("session/request_permission", f.Result); err != nil {
			p.t.Errorf("an answer is not as the protocol wants it: %v", err)
		}
	}
	return f, true
}

// expect reads a message of a method.
func (p *peer) expect(method string) frame {
	f, ok := p.next()
	if ok && f.Method != method {
		p.t.Errorf("boo sent %q, want %q", f.Method, method)
	}
	return f
}

func (p *peer) line(format string, args ...any) {
	_, _ = fmt.Fprintf(p.out, format+"\n", args...) // a closed pipe is the test's own doing
}

func (p *peer) answer(to frame, result string) {
	p.line(`{"jsonrpc":"2.0","id":%s,"result":%s}`, to.ID, result)
}

func (p *peer) refuse(to frame, code int, message, data string) {
	p.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q,"data":%s}}`, to.ID, code, message, data)
}

func (p *peer) update(update string) {
	p.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}`, update)
}

func (p *peer) say(text string) {
	p.update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}`, text))
}

// flush returns when boo has read everything up to here.
func (p *peer) flush() {
	p.line(`{"jsonrpc":"2.0","id":"flush","method":"peer/flush"}`)
	if f, ok := p.next(); ok && string(f.ID) != `"flush"` {
		p.t.Errorf("boo sent %q while the peer was waiting for an answer", f.Method)
	}
}

func (p *peer) exit(code int) { p.proc.end(backends.Exit{Code: code}) }

// introduce plays the handshake with the given capabilities.
func (p *peer) introduce(caps string) {
	p.answer(p.expect("initialize"), `{"protocolVersion":1,"agentCapabilities":`+caps+`,"agentInfo":{"name":"peer","version":"1.2.3"}}`)
}

// settle plays everything up to a usable new session.
func (p *peer) settle() {
	p.introduce(`{}`)
	p.answer(p.expect("session/new"), `{"sessionId":"s1"}`)
}

// stage is an opened session with its agent played by a goroutine.
type stage struct {
	t       *testing.T
	proc    *process
	session *acp.Sole
	played  chan struct{}
}

var definition = backends.Definition{Name: "peer", Title: "peer", Protocol: "acp"}

// play starts the script of the agent in a goroutine of the test's.
func play(t *testing.T, script func(*peer)) (proc *process, played chan struct{}) {
	proc, played = newProcess(t), make(chan struct{})
	go func() {
		defer close(played)
		script(proc.agent)
		// Whatever else boo sends is read, and the end of it is the agent's.
		for {
			if _, ok := proc.agent.next(); !ok {
				proc.end(backends.Exit{})
				return
			}
		}
	}()
	t.Cleanup(func() {
		proc.end(backends.Exit{})
		<-played
	})
	return proc, played
}

// open opens a session with an agent that plays script.
func open(t *testing.T, def backends.Definition, req orchestrator.SessionRequest, script func(*peer)) (*stage, error) {
	t.Helper()
	proc, played := play(t, script)
	if req.Dir == "" {
		req.Dir = orchestrator.WorktreeDir(t.TempDir())
	}
	session, err := acp.Open(t.Context(), acp.Protocol{Version: "0.1"}, def, proc, req)
	if err != nil {
		select {
		case <-proc.done:
		default:
			t.Error("Open failed and left the agent running")
		}
		return nil, err
	}
	st := &stage{t: t, proc: proc, session: session, played: played}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return st, nil
}

// mustOpen is open with a new session that has to come about.
func mustOpen(t *testing.T, script func(*peer)) *stage {
	t.Helper()
	st, err := open(t, definition, orchestrator.SessionRequest{}, func(p *peer) {
		p.settle()
		script(p)
	})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// transcript collects events.
type transcript struct {
	mu     sync.Mutex
	events []orchestrator.Event
}

func (tr *transcript) take(ev orchestrator.Event) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.events = append(tr.events, ev)
}

func (tr *transcript) all() []orchestrator.Event {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.events
}

// text joins the text of a kind of event.
func (tr *transcript) text(kind orchestrator.EventKind) string {
	var b strings.Builder
	for _, ev := range tr.all() {
		if ev.Kind == kind {
			b.WriteString(ev.Text)
		}
	}
	return b.String()
}

func (tr *transcript) tools() []orchestrator.ToolCall {
	var calls []orchestrator.ToolCall
	for _, ev := range tr.all() {
		if ev.Kind == orchestrator.EventTool {
			calls = append(calls, *ev.Tool)
		}
	}
	return calls
}

func fine() error { return nil }

// prompt sends one prompt and returns what came of it.
func (st *stage) prompt(text string) (*transcript, orchestrator.TurnResult, error) {
	tr := &transcript{}
	result, err := st.session.Prompt(st.t.Context(), []string{text}, fine, tr.take)
	return tr, result, err
}
