package scriptedagent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// agent is the running agent. One goroutine reads and answers; each turn has
// one of its own, which serve waits for.
type agent struct {
	settings settings
	out      *wire
	sessions map[string]*session // the reading goroutine's
	turns    sync.WaitGroup
	deaf     atomic.Bool

	mu      sync.Mutex
	running map[string]context.CancelFunc // turns by session
	asked   map[string]chan frame         // requests of ours by id, until answered
	lastID  int
}

func newAgent(s settings, out io.Writer) *agent {
	return &agent{
		settings: s,
		out:      newWire(out),
		sessions: map[string]*session{},
		running:  map[string]context.CancelFunc{},
		asked:    map[string]chan frame{},
	}
}

// serve answers what comes in until it ends.
func (a *agent) serve(in *bufio.Reader) error {
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			a.end()
			return err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var f frame
		if err := json.Unmarshal(line, &f); err != nil {
			return err
		}
		if err := a.take(f); err != nil && !a.deaf.Load() {
			return err
		}
	}
}

// end cancels what runs and waits for it. A deaf agent stays.
func (a *agent) end() {
	for a.deaf.Load() {
		<-time.After(time.Hour)
	}
	a.mu.Lock()
	for _, cancel := range a.running {
		cancel()
	}
	for id, answer := range a.asked {
		delete(a.asked, id)
		close(answer)
	}
	a.mu.Unlock()
	a.turns.Wait()
}

func (a *agent) take(f frame) error {
	switch {
	case f.Method == "":
		a.mu.Lock()
		defer a.mu.Unlock()
		if answer, ok := a.asked[string(f.ID)]; ok {
			delete(a.asked, string(f.ID))
			answer <- f
		}
		return nil
	case f.ID == nil:
		return a.notified(f)
	}
	handle, ok := a.methods()[f.Method]
	if !ok {
		return a.out.refuse(f.ID, &rpcError{Code: codeUnknownMethod, Message: "Method not found: " + f.Method})
	}
	err := handle(f)
	if refusal, ok := errors.AsType[*rpcError](err); ok {
		return a.out.refuse(f.ID, refusal)
	}
	return err
}

func (a *agent) notified(f frame) error {
	if f.Method != "session/cancel" || a.deaf.Load() {
		return nil
	}
	var p struct {
		Session string `json:"sessionId"`
	}
	if err := json.Unmarshal(f.Params, &p); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel, ok := a.running[p.Session]; ok {
		cancel()
	}
	return nil
}

// request asks the client something; the answer comes on the channel, which
// has room for it. It is closed if stdin ends first.
func (a *agent) request(method string, params any) (<-chan frame, error) {
	a.mu.Lock()
	a.lastID++
	id, _ := json.Marshal(a.lastID) // an int: cannot fail
	answer := make(chan frame, 1)
	a.asked[string(id)] = answer
	a.mu.Unlock()
	return answer, a.out.send(object{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params}, true)
}
