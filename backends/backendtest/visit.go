package backendtest

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"boo/orchestrator"
)

// patience bounds every single wait of the suite: far more than any agent
// takes, and less than the time after which a test run is given up.
const patience = 150 * time.Second

// visit is one live session and what its agent has said.
type visit struct {
	orchestrator.AgentSession
	dir       string
	processes []orchestrator.Process
	turns     int
}

// begin starts the subject's agent in dir; nativeID brings a session back.
func begin(t *testing.T, s Subject, dir, nativeID string, turns int) *visit {
	t.Helper()
	v, err := attempt(t, s, dir, nativeID, turns)
	if err != nil {
		t.Fatalf("start %s: %v", s.Agent, err)
	}
	t.Cleanup(func() { v.leave(t) })
	if len(v.processes) == 0 {
		t.Error("no process was told of")
	}
	return v
}

// attempt starts the subject's agent, and may fail. The visit then has only
// the processes that were told of.
func attempt(t *testing.T, s Subject, dir, nativeID string, turns int) (*visit, error) {
	t.Helper()
	v := &visit{dir: dir, turns: turns}
	// It may be a minute before an agent can bring a session back.
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	var err error
	v.AgentSession, err = s.Agents.Start(ctx, orchestrator.SessionRequest{
		Chat: orchestrator.NewChatID(), Turn: orchestrator.NewTurnID(), Agent: s.Agent,
		Dir: orchestrator.WorktreeDir(dir), NativeID: nativeID, Had: turns > 0,
		Permit:  func(_ context.Context, p orchestrator.Permission) (string, error) { return p.Options[0].ID, nil },
		Started: func(p orchestrator.Process) { v.processes = append(v.processes, p) },
	})
	return v, err
}

// leave closes the session and checks that its processes are gone.
func (v *visit) leave(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := v.Close(ctx); err != nil {
		t.Errorf("close: %v", err)
	}
	v.gone(t)
}

// gone checks that no process of the session lives.
func (v *visit) gone(t *testing.T) {
	t.Helper()
	for _, p := range v.processes {
		if alive(p.PID) {
			t.Errorf("process %d is alive", p.PID)
		}
	}
}

// alive reports whether a process runs; one that waits to be reaped does not.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}

// told is what a prompt brought.
type told struct {
	mu      sync.Mutex
	text    strings.Builder
	tools   map[string]orchestrator.ToolCall // as they stood last
	strange int                              // updates of unknown kinds
	first   chan struct{}                    // closed with the first text
	sent    int
	result  orchestrator.TurnResult
	err     error
	done    chan struct{} // closed when Prompt has returned
}

func (o *told) take(e orchestrator.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch e.Kind {
	case orchestrator.EventText:
		if o.text.Len() == 0 {
			close(o.first)
		}
		o.text.WriteString(e.Text)
	case orchestrator.EventTool:
		o.tools[e.Tool.ID] = *e.Tool
	case orchestrator.EventUnknown:
		if len(e.Raw) > 0 {
			o.strange++
		}
	}
}

// said returns the text so far.
func (o *told) said() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// prompt begins a turn and returns at once.
func (v *visit) prompt(t *testing.T, text string) *told {
	t.Helper()
	o := &told{tools: map[string]orchestrator.ToolCall{}, first: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(o.done)
		o.result, o.err = v.Prompt(context.Background(), []string{text}, func() error { o.sent++; return nil }, o.take)
	}()
	v.turns++
	return o
}

// wait waits for one of the two channels of a turn.
func wait(t *testing.T, o *told, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("%s: nothing after %s; said so far: %.300q", what, patience, o.said())
	}
}

// turn takes a whole turn, which has to end well.
func (v *visit) turn(t *testing.T, text string) *told {
	t.Helper()
	o := v.prompt(t, text)
	wait(t, o, o.done, text)
	if o.err != nil {
		t.Fatalf("%s: %v", text, o.err)
	}
	if o.sent != 1 {
		t.Errorf("%s: sent was called %d times", text, o.sent)
	}
	return o
}
