package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"boo/backends"
)

// tooLong is said of a message over the limit.
var tooLong = fmt.Sprintf("a message was longer than %d MiB, and could not be read", maxLine>>20)

// noiseTail is how much is kept of what the agent prints beside the protocol.
const noiseTail = 1 << 10

var (
	errEnded   = errors.New("its output has ended")
	errStalled = errors.New("no sign of life")
	errSilent  = errors.New("no answer")
)

// handler takes what the agent sends by itself. Its methods are called by the
// reading goroutine, one at a time, in the order of the messages; while one
// runs, nothing is read. The first two report whether they know the method.
type handler interface {
	notification(method string, params json.RawMessage) bool
	request(id json.RawMessage, method string, params json.RawMessage) bool
	// tooLong is told of a message that was left out.
	tooLong()
}

// conn is a connection to one agent. It owns the reading goroutine and, by its
// outbox, the writing one.
type conn struct {
	in      *lines
	out     *outbox
	handler handler
	ended   chan struct{} // closed when the reading goroutine is gone

	mu     sync.Mutex
	lastID int64
	calls  map[int64]*call
	stats  Stats
	noise  []byte
}

// Stats counts what came over a connection beside the events it brought.
type Stats struct {
	Updates       int // all session updates
	Replayed      int // updates while no prompt was running: replay, and what trails
	Unknown       int // updates of an unknown kind, or in an unknown form
	Foreign       int // updates of another session
	Noise         int // lines that are not the protocol
	Requests      int // requests of an unknown method
	Notifications int // notifications of an unknown method
	Strays        int // answers to nothing, or a second time
	Unanswered    int // requests of the agent's that got no answer
}

// call is one request of boo's that waits for its answer.
type call struct {
	id     int64
	before func() // called by the reading goroutine before the answer is handed over
	answer chan answer
}

type answer struct {
	result json.RawMessage
	err    *rpcError
}

func newConn(child backends.Child, h handler) *conn {
	return &conn{
		in:      newLines(child.Stdout(), maxLine),
		out:     newOutbox(child.Stdin()),
		handler: h,
		ended:   make(chan struct{}),
		calls:   map[int64]*call{},
	}
}

// start starts the reading goroutine; it ends with the agent's output.
func (c *conn) start() { go c.read() }

func (c *conn) read() {
	defer close(c.ended)
	for {
		line, err := c.in.next()
		switch {
		case err == nil:
			c.take(line)
		case errors.Is(err, errLongLine):
			c.takeLong(line)
		case errors.Is(err, io.ErrUnexpectedEOF):
			c.keepNoise(line)
			return
		default:
			return
		}
	}
}

func (c *conn) take(line []byte) {
	m, k := decode(line)
	switch k {
	case kindResponse:
		c.deliver(m)
	case kindNotification:
		if !c.handler.notification(m.Method, m.Params) {
			c.count(func(s *Stats) { s.Notifications++ })
		}
	case kindRequest:
		if !c.handler.request(m.ID, m.Method, m.Params) {
			c.count(func(s *Stats) { s.Requests++ })
			c.refuse(m.ID, codeUnknownMethod, "Method not found")
		}
	case kindNoise:
		if len(line) > 0 {
			c.keepNoise(line)
		}
	}
}

// takeLong takes a message of which there is only what it is: nobody is to wait
// for the rest.
func (c *conn) takeLong(bones []byte) {
	m, k := decode(bones)
	switch k {
	case kindResponse:
		m.Result, m.Error = nil, &rpcError{Code: codeInternal, Message: tooLong}
		c.deliver(m)
		return
	case kindRequest:
		c.refuse(m.ID, codeInternal, tooLong)
	case kindNoise:
		c.keepNoise(bones)
	}
	c.handler.tooLong()
}

func (c *conn) deliver(m message) {
	id, ok := m.callID()
	c.mu.Lock()
	waiting := c.calls[id]
	delete(c.calls, id)
	if !ok || waiting == nil {
		c.stats.Strays++
	}
	c.mu.Unlock()
	if !ok || waiting == nil {
		return
	}
	if waiting.before != nil {
		waiting.before()
	}
	waiting.answer <- answer{result: m.Result, err: m.Error}
}

func (c *conn) count(add func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	add(&c.stats)
}

func (c *conn) keepNoise(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Noise++
	c.noise = append(append(c.noise, head(line, noiseTail)...), '\n')
	if over := len(c.noise) - noiseTail; over > 0 {
		c.noise = append(c.noise[:0], c.noise[over:]...)
	}
}

// respond answers a request of the agent's.
func (c *conn) respond(id json.RawMessage, result any) {
	c.answerWith(resultFrame{Version: "2.0", ID: id, Result: result})
}

// refuse answers a request of the agent's with an error.
func (c *conn) refuse(id json.RawMessage, code int, text string) {
	c.answerWith(errorFrame{Version: "2.0", ID: id, Error: rpcError{Code: code, Message: text}})
}

func (c *conn) answerWith(frame any) {
	line, err := encode(frame)
	if err != nil || !c.out.reply(line) {
		c.count(func(s *Stats) { s.Unanswered++ })
	}
}

// notify queues a notification.
func (c *conn) notify(method string, params any) error {
	line, err := encode(notificationFrame{Version: "2.0", Method: method, Params: params})
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	c.out.write(line)
	return nil
}

// prepare makes a call and its line; nothing is sent yet.
func (c *conn) prepare(method string, params any, before func()) (*call, []byte, error) {
	c.mu.Lock()
	c.lastID++
	waiting := &call{id: c.lastID, before: before, answer: make(chan answer, 1)}
	c.mu.Unlock()
	line, err := encode(requestFrame{Version: "2.0", ID: waiting.id, Method: method, Params: params})
	if err != nil {
		return nil, nil, fmt.Errorf("encode %s: %w", method, err)
	}
	c.mu.Lock()
	c.calls[waiting.id] = waiting
	c.mu.Unlock()
	return waiting, line, nil
}

// forget drops a call; an answer to it is a stray from now on.
func (c *conn) forget(waiting *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, waiting.id)
}

// limits bounds a call; zero fields do not.
type limits struct {
	total time.Duration
	stall time.Duration // without a byte from the agent
}

// call sends a request and waits for its answer, which is an *rpcError if the
// agent refused.
func (c *conn) call(ctx context.Context, method string, params any, limit limits) (json.RawMessage, error) {
	if limit.total > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit.total, fmt.Errorf("%w within %v", errSilent, limit.total))
		defer cancel()
	}
	waiting, line, err := c.prepare(method, params, nil)
	if err != nil {
		return nil, err
	}
	defer c.forget(waiting)
	c.out.write(line)
	for {
		seen := c.in.read.Load()
		var stalled <-chan time.Time
		if limit.stall > 0 {
			stalled = time.After(limit.stall)
		}
		select {
		case a := <-waiting.answer:
			return a.unpack()
		case <-c.ended:
			return waiting.lastWord(errEnded)
		case <-c.out.broken:
			if errors.Is(c.out.failure(), errUnread) {
				// Most likely it is gone, and what it said before can be read.
				select {
				case <-c.ended:
				case <-time.After(exitTime):
				}
			}
			return waiting.lastWord(c.out.failure())
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-stalled:
			if c.in.read.Load() == seen {
				return nil, errStalled
			}
		}
	}
}

// lastWord returns the answer if it came right before the end, else the error.
func (w *call) lastWord(err error) (json.RawMessage, error) {
	select {
	case a := <-w.answer:
		return a.unpack()
	default:
		return nil, err
	}
}

func (a answer) unpack() (json.RawMessage, error) {
	if a.err != nil {
		return nil, a.err
	}
	return a.result, nil
}
