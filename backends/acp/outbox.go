package acp

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// writeStall is how long the agent may not read at all before the
	// connection counts as broken.
	writeStall = 10 * time.Second
	// writeChunk is written at once: progress is seen in steps of it.
	writeChunk = 64 << 10
	// maxReplies bounds the answers to the agent's own requests that wait to
	// be written. An agent that asks more and reads nothing gets no answer.
	maxReplies = 1024
)

var (
	errDeaf   = errors.New("it has not read its input for 10 s")
	errUnread = errors.New("it takes no input any more")
)

// outbox writes to the agent. Its goroutine is the only writer, so nobody who
// has something to say, the reading goroutine least of all, ever blocks on an
// agent that does not listen.
type outbox struct {
	w      io.WriteCloser
	mu     sync.Mutex
	queue  [][]byte
	wake   chan struct{} // capacity 1: a full one says the same thing
	broken chan struct{} // closed with err set
	err    error
	done   chan struct{} // closed when the goroutine is gone
}

func newOutbox(w io.WriteCloser) *outbox {
	o := &outbox{w: w, wake: make(chan struct{}, 1), broken: make(chan struct{}), done: make(chan struct{})}
	go o.run() // ended by shut; done tells when
	return o
}

// write queues a line of boo's own; broken tells if it cannot be written.
func (o *outbox) write(line []byte) {
	o.mu.Lock()
	o.queue = append(o.queue, line)
	o.mu.Unlock()
	o.kick()
}

// reply queues an answer to the agent. It reports false when too many wait
// already.
func (o *outbox) reply(line []byte) bool {
	o.mu.Lock()
	full := len(o.queue) >= maxReplies
	if !full {
		o.queue = append(o.queue, line)
	}
	o.mu.Unlock()
	o.kick()
	return !full
}

func (o *outbox) kick() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// shut breaks the connection off and closes the agent's input. The goroutine
// is gone when done is closed: at once, or, should it be in a write that
// closing does not wake, with the agent's end. It may be called twice.
func (o *outbox) shut() {
	o.fail(errUnread)
	_ = o.w.Close() // a second close changes nothing
}

func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
		close(o.broken)
	}
}

// failure returns why the connection broke; call it after broken.
func (o *outbox) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *outbox) run() {
	defer close(o.done)
	for {
		select {
		case <-o.wake:
		case <-o.broken:
			return
		}
		for {
			line, ok := o.take()
			if !ok {
				break
			}
			if err := o.put(line); err != nil {
				o.fail(err)
				return
			}
		}
	}
}

func (o *outbox) take() ([]byte, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 || o.err != nil {
		return nil, false
	}
	line := o.queue[0]
	o.queue[0] = nil // a long one is not kept alive by the queue
	o.queue = o.queue[1:]
	return line, true
}

// put writes one line. The deadline is for progress: a long prompt may take
// its time.
func (o *outbox) put(line []byte) error {
	for len(line) > 0 {
		chunk := line[:min(len(line), writeChunk)]
		deadline := time.AfterFunc(writeStall, func() { o.fail(errDeaf) })
		n, err := o.w.Write(chunk)
		deadline.Stop()
		if err != nil {
			return fmt.Errorf("%w: %w", errUnread, err)
		}
		line = line[n:]
	}
	return nil
}
