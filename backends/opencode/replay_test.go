package opencode

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

// replay is a server that plays what a real one was recorded to say: events in
// their order, each as soon as what it waited for has happened, and records
// that agree with the events so far.
type replay struct {
	t      *testing.T
	http   *httptest.Server
	frames []string
	gates  map[string]chan string // what the client did, with the prompt's id
	done   chan struct{}
	unwell atomic.Bool  // neither healthy nor sending events
	tries  atomic.Int64 // to listen, while it was so
	looks  atomic.Int64 // at its status
	blind  atomic.Int64 // so many looks find it idle, whatever it is at
	calls  atomic.Bool  // while it is busy, it says that it repeats a call of the model

	mu       sync.Mutex
	streams  []chan string
	deaf     bool // events are recorded, and not sent
	busy     bool
	order    []string
	infos    map[string]json.RawMessage
	parts    map[string][]json.RawMessage // by message
	replies  []string
	sent     int
	connects int
	at       func(i int) // called before frame i is played
	begun    func()      // called when a prompt has come
	mangle   func(frame string) []string
}

func readFrames(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []string
	for in := bufio.NewScanner(f); in.Scan(); {
		all = append(all, in.Text())
	}
	return all
}

func newReplay(t *testing.T, frames []string) *replay {
	r := &replay{
		t: t, frames: frames, done: make(chan struct{}),
		gates: map[string]chan string{"prompt": make(chan string, 8), "abort": make(chan string, 1000), "reply": make(chan string, 8)},
		infos: map[string]json.RawMessage{}, parts: map[string][]json.RawMessage{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /global/health", func(w http.ResponseWriter, _ *http.Request) {
		if r.unwell.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"healthy":true,"version":"1.0"}`)
	})
	mux.HandleFunc("GET /global/event", r.stream)
	mux.HandleFunc("POST /session", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"id":"ses_recorded"}`) })
	mux.HandleFunc("GET /session/status", r.status)
	mux.HandleFunc("GET /session/{id}/message", r.messages)
	mux.HandleFunc("POST /session/{id}/prompt_async", func(w http.ResponseWriter, q *http.Request) {
		var p prompt
		_ = json.NewDecoder(q.Body).Decode(&p)
		r.mu.Lock()
		r.busy = true
		r.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
		r.gates["prompt"] <- p.ID
	})
	mux.HandleFunc("POST /session/{id}/abort", func(w http.ResponseWriter, _ *http.Request) {
		r.gates["abort"] <- ""
		fmt.Fprint(w, "true")
	})
	mux.HandleFunc("POST /permission/{id}/reply", func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		r.replies = append(r.replies, string(body))
		r.mu.Unlock()
		r.gates["reply"] <- ""
	})
	r.http = httptest.NewServer(mux)
	ctx, cancel := context.WithCancel(context.Background())
	go r.play(ctx)
	t.Cleanup(func() {
		cancel()
		<-r.done
		r.hangUp()
		r.http.Close()
	})
	return r
}

func (r *replay) stream(w http.ResponseWriter, q *http.Request) {
	if r.unwell.Load() {
		r.tries.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	events := make(chan string, 10000)
	events <- `{"type":"server.connected","properties":{}}`
	r.mu.Lock()
	r.streams = append(r.streams, events)
	r.connects++
	r.deaf = false
	r.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		select {
		case e, open := <-events:
			if !open {
				return
			}
			fmt.Fprintf(w, "data: {\"directory\":\"/tree\",\"payload\":%s}\n\n", e)
			w.(http.Flusher).Flush()
		case <-q.Context().Done():
			return
		}
	}
}

// hangUp drops every stream; what comes until the next one connects is lost.
func (r *replay) hangUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.streams {
		close(s)
	}
	r.streams, r.deaf = nil, true
}

func (r *replay) status(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.looks.Add(1)
	switch {
	case !r.busy || r.blind.Add(-1) >= 0:
		fmt.Fprint(w, `{}`)
	case r.calls.Load():
		fmt.Fprint(w, `{"ses_recorded":{"type":"retry","attempt":2,"message":"overloaded"}}`)
	default:
		fmt.Fprint(w, `{"ses_recorded":{"type":"busy"}}`)
	}
}

func (r *replay) messages(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	type m struct {
		Info  json.RawMessage   `json:"info"`
		Parts []json.RawMessage `json:"parts"`
	}
	all := []m{}
	for _, id := range r.order {
		all = append(all, m{r.infos[id], r.parts[id]})
	}
	_ = json.NewEncoder(w).Encode(all)
}

// play walks the recording.
func (r *replay) play(ctx context.Context) {
	defer close(r.done)
	var ids *strings.Replacer
	var pairs []string // of the newest prompt, and of the one before
	prompts := 0
	for i, f := range r.frames {
		var e frame
		if err := json.Unmarshal([]byte(f), &e); err != nil {
			r.t.Errorf("frame %d: %v", i, err)
			return
		}
		if e.Type == "gate" {
			on, _ := read[struct{ On string }](e.Properties)
			select {
			case id := <-r.gates[on.On]:
				if on.On == "prompt" {
					prompts++
					newest := []string{fmt.Sprintf("msg_prompt%d", prompts), id}
					pairs = append(newest, pairs[:min(2, len(pairs))]...)
					ids = strings.NewReplacer(pairs...)
					r.mu.Lock()
					begun := r.begun
					r.mu.Unlock()
					if begun != nil {
						begun()
					}
				}
			case <-ctx.Done():
				return
			}
			continue
		}
		if r.at != nil {
			r.at(i)
		}
		f = ids.Replace(f)
		out := []string{f}
		if r.mangle != nil {
			out = r.mangle(f)
		}
		r.mu.Lock()
		r.record(f)
		for _, o := range out {
			for _, s := range r.streams {
				s <- o
			}
		}
		r.mu.Unlock()
	}
}

// record keeps what the server would have in its store now.
func (r *replay) record(f string) {
	var e struct {
		Type       string
		Properties struct {
			Info, Part json.RawMessage
			Status     status
		}
	}
	_ = json.Unmarshal([]byte(f), &e)
	switch e.Type {
	case "message.updated":
		info, _ := read[messageInfo](e.Properties.Info)
		if r.infos[info.ID] == nil {
			r.order = append(r.order, info.ID)
		}
		r.infos[info.ID] = e.Properties.Info
	case "message.part.updated":
		p, _ := read[part](e.Properties.Part)
		i := slices.IndexFunc(r.parts[p.Message], func(raw json.RawMessage) bool {
			old, _ := read[part](raw)
			return old.ID == p.ID
		})
		if i < 0 {
			r.parts[p.Message] = append(r.parts[p.Message], e.Properties.Part)
		} else {
			r.parts[p.Message][i] = e.Properties.Part
		}
	case "session.status":
		r.busy = e.Properties.Status.Type != statusIdle
	}
}

// stub is the process of a recorded server.
type stub struct {
	backends.Child
	out  io.Reader
	gone chan struct{}
	once sync.Once
}

func (s *stub) Stdout() io.Reader { return s.out }

func (s *stub) Done() <-chan struct{} { return s.gone }
func (s *stub) Exit() backends.Exit   { return backends.Exit{Code: 3} }
func (s *stub) Stderr() string        { return "" }
func (s *stub) EndPart(context.Context, string, time.Duration) error {
	return nil // a recorded server has started nothing
}
func (s *stub) End(context.Context, time.Duration) error {
	s.once.Do(func() { close(s.gone) })
	return nil
}

// open returns a session with the recorded server.
func (r *replay) open(t *testing.T, p pace) *Session {
	t.Helper()
	h := newHost(backends.Definition{Name: "opencode"}, &stub{gone: make(chan struct{})})
	h.api, h.pace = newAPI(r.http.URL, "secret"), p
	h.tasks.Go(func() { h.listen(h.life) })
	if err := h.awaitLive(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.hangUp()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	s, err := h.Open(t.Context(), orchestrator.SessionRequest{Dir: "/tree"})
	if err != nil {
		t.Fatal(err)
	}
	return s.(*Session)
}

// outcome is what a prompt brought.
type outcome struct {
	text, thought string
	tools         map[string]string // title by id, with its last status
	plan          int
	notices       []string
	result        orchestrator.TurnResult
	err           error
}

func (s *Session) collect(ctx context.Context, each func(orchestrator.Event)) outcome {
	o := outcome{tools: map[string]string{}}
	o.result, o.err = s.Prompt(ctx, []string{"go"}, func() error { return nil }, func(e orchestrator.Event) {
		switch e.Kind {
		case orchestrator.EventText:
			o.text += e.Text
		case orchestrator.EventThought:
			o.thought += e.Text
		case orchestrator.EventTool:
			o.tools[e.Tool.ID] = e.Tool.Title + " " + e.Tool.Status
		case orchestrator.EventPlan:
			o.plan = len(e.Plan)
		case orchestrator.EventNotice:
			o.notices = append(o.notices, e.Text)
		}
		if each != nil {
			each(e)
		}
	})
	return o
}
