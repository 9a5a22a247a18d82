package opencode_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"boo/orchestrator"
)

// kill is a moment at which the real server is killed by SIGKILL.
type kill struct {
	when   string
	always bool   // also where nobody asks for more
	prompt string // of the turn that is in flight; "" if none is
	moment func(d *deed, e orchestrator.Event)
	asked  bool // a permission is waited for at that moment
	stop   bool // and the turn is stopped just before
	// attempts is how often the server is killed while it starts.
	attempts int
}

const deaf = "run trap '' TERM INT HUP; echo $$ >pid; echo started; while :; do sleep 1; done"

var kills = []kill{
	{when: "in the middle of a tool", always: true, prompt: "run echo $$ >pid; echo started; sleep 1000", moment: inTool},
	{when: "while idle", always: true},
	{when: "in mid-answer", prompt: "stream 100000 words every 5ms", moment: func(d *deed, e orchestrator.Event) {
		if e.Kind == orchestrator.EventText {
			d.now()
		}
	}},
	{when: "before an answer", prompt: "hang", moment: nil},
	{when: "while it repeats a call of the model", prompt: "status 500", moment: func(d *deed, e orchestrator.Event) {
		if e.Kind == orchestrator.EventNotice {
			d.now()
		}
	}},
	{when: "while a permission is asked for", prompt: "write /outside/of/it.txt with one", asked: true},
	{when: "while an abort is out", prompt: deaf, moment: inTool, stop: true},
	{when: "once while it starts", attempts: 1},
	{when: "whenever it starts", attempts: 3},
}

func inTool(d *deed, e orchestrator.Event) {
	if e.Kind != orchestrator.EventTool || e.Tool.Status != "in_progress" {
		return
	}
	if _, err := os.Stat(filepath.Join(string(d.chat.req.Dir), "pid")); err == nil {
		d.now()
	}
}

// deed is one kill of the newest server.
type deed struct {
	kill
	chat    *chat
	session orchestrator.AgentSession
	once    sync.Once
	tasks   sync.WaitGroup
}

// now does it, once, in the middle of a turn.
func (d *deed) now() {
	d.once.Do(func() {
		d.tasks.Go(func() {
			if d.stop {
				d.tasks.Go(func() { _ = d.session.Stop(context.Background(), 30*time.Second) }) // ends with the turn
				<-time.After(100 * time.Millisecond)
			}
			d.chat.h.killNewest()
		})
	})
}

func (h *house) killNewest() {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = syscall.Kill(h.processes[len(h.processes)-1].PID, syscall.SIGKILL)
}

// try has a chat lose its server at that moment. The turn in flight has the one
// end that fits, nothing that was started lives on, and the next turn resumes
// the session with all it knew.
func (k kill) try(t *testing.T, h *house) {
	c := h.chat()
	ended := make(chan error, 8)
	c.req.Ended = func(err error) { ended <- err }
	c.turn("remember plum")
	session := c.req.NativeID
	switch {
	case k.attempts > 0:
		k.starting(t, c, ended)
	case k.prompt == "":
		h.killNewest()
		if err := <-ended; !errors.Is(err, orchestrator.ErrAgentDied) {
			t.Errorf("told of its end: %v", err)
		}
	default:
		k.inFlight(t, c)
	}
	h.noneLives(t, c)
	if said, rung := c.turn("recall"); rung != orchestrator.RungResumed || c.req.NativeID != session || !strings.Contains(said, "remember plum") {
		t.Errorf("after it: %s, session %s of %s, said %q", rung, c.req.NativeID, session, said)
	}
	if err := h.pool.Evict(t.Context(), c.req.Chat, "opencode"); err != nil { // so many crashes are meant
		t.Error(err)
	}
}

// inFlight takes the turn that loses its server.
func (k kill) inFlight(t *testing.T, c *chat) {
	d := &deed{kill: k, chat: c}
	c.req.Permit = func(ctx context.Context, _ orchestrator.Permission) (string, error) {
		if k.asked {
			d.now()
		}
		<-ctx.Done()
		return "", ctx.Err()
	}
	d.session = c.begin()
	if k.moment == nil && !k.asked {
		time.AfterFunc(time.Second, d.now)
	}
	tools := map[string]string{}
	_, result, err := ask(d.session, k.prompt, func(e orchestrator.Event) {
		if e.Kind == orchestrator.EventTool {
			tools[e.Tool.ID] = e.Tool.Status
		}
		if k.moment != nil {
			k.moment(d, e)
		}
	})
	d.tasks.Wait()
	if k.stop != (err == nil && result.Stop == "cancelled") || !k.stop && !errors.Is(err, orchestrator.ErrAgentDied) {
		t.Errorf("ended with %q, %v", result.Stop, err)
	}
	for id, status := range tools {
		if status != "failed" {
			t.Errorf("tool %s is left %s", id, status)
		}
	}
	if err := d.session.Close(context.Background()); err != nil {
		t.Error(err)
	}
	c.req.Permit = nil
}

// starting kills the server while it starts for the next turn, as often as it
// is to be.
func (k kill) starting(t *testing.T, c *chat, ended <-chan error) {
	c.h.killNewest()
	<-ended
	left := k.attempts
	var tasks sync.WaitGroup
	c.h.mu.Lock()
	c.h.started = func(p orchestrator.Process) {
		if left--; left >= 0 {
			tasks.Go(func() {
				<-time.After(300 * time.Millisecond)
				_ = syscall.Kill(p.PID, syscall.SIGKILL)
			})
		}
	}
	c.h.mu.Unlock()
	if k.attempts < 3 {
		c.turn("say it is there")
		// The server is killed again, so that the next turn resumes after a start.
		c.h.killNewest()
		<-ended
	} else if _, err := c.h.pool.Start(t.Context(), c.req); orchestrator.CodeOf(err) != orchestrator.CodeAgent ||
		!strings.Contains(err.Error(), "3 times") || !strings.Contains(err.Error(), "killed") {
		t.Errorf("a server that never starts: %v", err)
	}
	tasks.Wait()
	c.h.mu.Lock()
	c.h.started = nil
	c.h.mu.Unlock()
}

// noneLives sees that of all servers, and of the chat's tool, none lives on.
func (h *house) noneLives(t *testing.T, c *chat) {
	t.Helper()
	pids := []string{}
	h.mu.Lock()
	for _, p := range h.processes {
		pids = append(pids, strconv.Itoa(p.PID))
	}
	h.mu.Unlock()
	if tool, err := os.ReadFile(filepath.Join(string(c.req.Dir), "pid")); err == nil {
		pids = append(pids, strings.TrimSpace(string(tool)))
	}
	for _, pid := range pids {
		if _, err := os.Stat("/proc/" + pid); err == nil {
			t.Errorf("process %s lives on", pid)
		}
	}
}
