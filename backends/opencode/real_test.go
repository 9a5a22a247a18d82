package opencode_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"boo/backends"
	"boo/backends/backendtest"
	"boo/backends/backendtest/scriptedmodel"
	"boo/backends/opencode"
	"boo/backends/proc"
	"boo/orchestrator"
)

func TestMain(m *testing.M) {
	proc.Main()
	os.Exit(m.Run())
}

// house is a pool over the real opencode, which speaks with a scripted model.
type house struct {
	t    *testing.T
	pool *backends.Pool

	mu        sync.Mutex
	processes []orchestrator.Process
	started   func(orchestrator.Process)
}

func newHouse(t *testing.T) *house {
	t.Helper()
	model, err := scriptedmodel.Start(scriptedmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	r, err := backends.New(backends.Options{
		Launcher:  proc.Launcher{},
		Protocols: map[string]backends.Protocol{"opencode": opencode.Protocol{Dir: t.TempDir()}, "acp": opencode.Protocol{}},
		Data:      backendtest.Data(t, "opencode"),
		Environ:   backendtest.Environ(t, "opencode", model.URL(), t.TempDir()),
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, pool: backends.NewPool(r, backends.PoolOptions{Dir: t.TempDir()})}
	t.Cleanup(func() {
		if err := h.pool.Close(context.Background()); err != nil {
			t.Error(err)
		}
		for _, p := range h.processes {
			if _, err := os.Stat("/proc/" + strconv.Itoa(p.PID)); err == nil {
				t.Errorf("process %d outlives the pool", p.PID)
			}
		}
	})
	return h
}

// chat is one chat's session over its turns.
type chat struct {
	h   *house
	req orchestrator.SessionRequest
}

func (h *house) chat() *chat {
	c := &chat{h: h}
	c.req = orchestrator.SessionRequest{
		Chat: orchestrator.NewChatID(), Agent: "opencode", Dir: orchestrator.WorktreeDir(h.t.TempDir()),
		Started: func(p orchestrator.Process) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.processes = append(h.processes, p)
			if h.started != nil {
				h.started(p)
			}
		},
	}
	return c
}

func (c *chat) begin() orchestrator.AgentSession {
	c.h.t.Helper()
	c.req.Last, c.req.Turn = c.req.Turn, orchestrator.NewTurnID()
	s, err := c.h.pool.Start(c.h.t.Context(), c.req)
	if err != nil {
		c.h.t.Fatal(err)
	}
	c.req.NativeID = s.Info().NativeID
	c.req.Had = true
	return s
}

// turn takes a whole turn that has to end well.
func (c *chat) turn(prompt string) (said string, rung orchestrator.Rung) {
	c.h.t.Helper()
	s := c.begin()
	said, result, err := ask(s, prompt, nil)
	if err != nil || result.Stop != "end_turn" {
		c.h.t.Fatalf("%s: ended with %q, %v", prompt, result.Stop, err)
	}
	if err := s.Release(context.Background()); err != nil {
		c.h.t.Fatal(err)
	}
	return said, s.Info().Rung
}

func ask(s orchestrator.AgentSession, prompt string, each func(orchestrator.Event)) (said string, result orchestrator.TurnResult, err error) {
	result, err = s.Prompt(context.Background(), []string{prompt}, func() error { return nil }, func(e orchestrator.Event) {
		if e.Kind == orchestrator.EventText {
			said += e.Text
		}
		if each != nil {
			each(e)
		}
	})
	return said, result, err
}

// TestOneServerForAllChats goes with one server through what chats do with it.
func TestOneServerForAllChats(t *testing.T) {
	h := newHouse(t)
	c := h.chat()
	t.Run("the second turn is warm", func(t *testing.T) {
		if _, rung := c.turn("remember plum ;; write a.txt with one ;; run echo hidden:$OPENCODE_SERVER_PASSWORD. >b.txt"); rung != orchestrator.RungNew {
			t.Errorf("first turn: %s", rung)
		}
		if said, rung := c.turn("recall"); rung != orchestrator.RungWarm || !strings.Contains(said, "remember plum") {
			t.Errorf("second turn: %s, said %q", rung, said)
		}
		if got, err := os.ReadFile(filepath.Join(string(c.req.Dir), "a.txt")); string(got) != "one\n" {
			t.Errorf("its file: %q, %v", got, err)
		}
		if got, err := os.ReadFile(filepath.Join(string(c.req.Dir), "b.txt")); string(got) != "hidden:.\n" {
			t.Errorf("its commands see the password: %q, %v", got, err)
		}
	})
	t.Run("aborts at random moments", func(t *testing.T) { storm(t, h, sized("BOO_TEST_STORM", 3), sized("BOO_TEST_STORM", 3)) })
	t.Run("sessions beside each other", func(t *testing.T) { crowd(t, h, sized("BOO_TEST_CROWD", 2)) })
	t.Run("a stop ends what went into the background", func(t *testing.T) { background(t, h) })
	t.Run("a forgotten session is gone", func(t *testing.T) { forgotten(t, h) })
	t.Run("there was one server", func(t *testing.T) {
		if len(h.processes) != 1 {
			t.Errorf("%d servers were started", len(h.processes))
		}
	})
	for _, k := range kills {
		if k.always || os.Getenv("BOO_TEST_STORM") != "" {
			t.Run("killed "+k.when, func(t *testing.T) { k.try(t, h) })
		}
	}
}

// sized is how much of something is tried: a little, or what the variable says.
// By hand: BOO_TEST_STORM=10 for 100 aborts and all ways to be killed, BOO_TEST_CROWD=20.
func sized(variable string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return usual
}

// crowd has many sessions take a turn at once: each hears its own answer, and
// writes its own file.
func crowd(t *testing.T, h *house, chats int) {
	var all sync.WaitGroup
	for i := range chats {
		all.Go(func() {
			c, word := h.chat(), "crowd-"+strconv.Itoa(i)
			if said, _ := c.turn("write own.txt with " + word + " ;; say " + word); !strings.Contains(said, word) {
				t.Errorf("%s said %q", word, said)
			}
			if got, err := os.ReadFile(filepath.Join(string(c.req.Dir), "own.txt")); strings.TrimSpace(string(got)) != word {
				t.Errorf("%s wrote %q, %v", word, got, err)
			}
		})
	}
	all.Wait()
}

// background stops a turn whose tool left a process that is no child of it, does
// not work in its directory and ignores TERM. That of another chat lives until
// its session is put away.
func background(t *testing.T, h *house) {
	const leave = `run setsid -f sh -c 'trap "" TERM HUP; echo $$ >new; mv new pid; cd /; while :; do sleep 1000; done' </dev/null >/dev/null 2>&1; until test -e pid; do sleep 0.05; done`
	other := h.chat()
	other.turn(leave)
	c := h.chat()
	s := c.begin()
	stopped := make(chan error, 1)
	var once sync.Once
	_, result, err := ask(s, leave+" ;; run sleep 1234", func(e orchestrator.Event) {
		if e.Tool != nil && e.Tool.Status == "in_progress" && strings.Contains(string(e.Tool.Input), "sleep 1234") {
			once.Do(func() { go func() { stopped <- s.Stop(context.Background(), 30*time.Second) }() })
		}
	})
	if err != nil || result.Stop != "cancelled" {
		t.Errorf("ended with %q, %v", result.Stop, err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if c.runs() || !other.runs() {
		t.Errorf("after the stop: its own process runs: %v, the other chat's: %v", c.runs(), other.runs())
	}
	if err := s.Release(context.Background()); err != nil {
		t.Error(err)
	}
	if err := h.pool.Evict(t.Context(), other.req.Chat, ""); err != nil || other.runs() {
		t.Errorf("after it was put away, the other chat's runs: %v, %v", other.runs(), err)
	}
}

// runs reports whether the process that wrote pid lives.
func (c *chat) runs() bool {
	c.h.t.Helper()
	pid, err := os.ReadFile(filepath.Join(string(c.req.Dir), "pid"))
	if err != nil {
		c.h.t.Fatal(err)
	}
	line, _ := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "cmdline")) // none if it has ended
	return len(line) > 0
}

// forgotten deletes a session in the server: it cannot be resumed any more.
func forgotten(t *testing.T, h *house) {
	c := h.chat()
	c.turn("remember plum")
	if err := h.pool.Evict(t.Context(), c.req.Chat, ""); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second time it is not there, which is as good
		deleted, err := h.pool.Forget(t.Context(), orchestrator.ForgetRequest{Chat: c.req.Chat, Agent: "opencode", NativeID: c.req.NativeID, Dir: "/not/there"})
		if !deleted || err != nil {
			t.Errorf("deleted %v, %v", deleted, err)
		}
	}
	if said, rung := c.turn("recall"); rung != orchestrator.RungNew || strings.Contains(said, "plum") {
		t.Errorf("after it: %s, said %q", rung, said)
	}
}

// storms are turns that last until they are aborted: in mid-answer, in a tool,
// before the model has said anything, and while it repeats a call that failed.
var storms = []string{"stream 100000 words every 5ms", "run sleep 1000", "hang", "status 500"}

// storm aborts turns at random moments in several chats at once. Every turn has
// one end that fits, and the one after it gets its own answer.
func storm(t *testing.T, h *house, chats, turns int) {
	var all sync.WaitGroup
	for i := range chats {
		all.Go(func() {
			c := h.chat()
			for n := range turns {
				s := c.begin()
				first := make(chan struct{})
				var once sync.Once
				stop := make(chan error, 1)
				go func() {
					<-first
					stop <- s.Stop(context.Background(), 30*time.Second)
				}()
				moment := time.AfterFunc(rand.N(600*time.Millisecond), func() { once.Do(func() { close(first) }) })
				kind := storms[(i+n)%len(storms)]
				_, result, err := ask(s, kind, nil)
				moment.Stop()
				once.Do(func() { close(first) })
				gaveUp := kind == "status 500" && orchestrator.CodeOf(err) == orchestrator.CodeAgent // before it was stopped
				if !gaveUp && (err != nil || result.Stop != "cancelled") {
					t.Errorf("turn %d: ended with %q, %v", n, result.Stop, err)
				}
				if err := <-stop; err != nil {
					t.Error(err)
				}
				word := "word-" + strconv.Itoa(i) + "-" + strconv.Itoa(n)
				said, result, err := ask(s, "say "+word, nil)
				if err != nil || result.Stop != "end_turn" || strings.TrimSpace(said) != word {
					t.Errorf("after the stop of turn %d: ended with %q, %v, said %q", n, result.Stop, err, said)
				}
				if err := s.Release(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
