package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"boo/orchestrator"
)

// stream writes a text/event-stream. Each write has a deadline: who does not
// read is cut off.
type stream struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	buf      []byte
}

func (h *handler) stream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	return &stream{w: w, control: http.NewResponseController(w), patience: h.Patience}
}

func (s *stream) write(text []byte) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.patience)) // a writer without deadlines does not block
	_, err := s.w.Write(text)
	return err
}

// put writes a frame that may stay in the buffer.
func (s *stream) put(f frame) error {
	s.buf = f.append(s.buf[:0])
	return s.write(s.buf)
}

func (s *stream) flush() error { return s.control.Flush() }

// send writes a frame that has to go out now.
func (s *stream) send(f frame) error {
	if err := s.put(f); err != nil {
		return err
	}
	return s.flush()
}

const (
	// What a follower has in its hands at the most, besides the socket's buffer.
	followBuffer = 64
	// What streams have to end by themselves when the daemon does.
	endingTime = time.Second
	comeAgain  = 250 * time.Millisecond
)

// follow is a row for the events of something that has an id.
type follow[ID ~string] struct {
	route string
	parse func(string) (ID, error)
	do    func(svc orchestrator.Service, ctx context.Context, id ID, after orchestrator.Seq, yield func(orchestrator.Event) error) error
}

func (f follow[ID]) pattern() string { return f.route }

func (f follow[ID]) serve(h *handler, w http.ResponseWriter, r *http.Request) {
	id, err := f.parse(r.PathValue("id"))
	if err != nil {
		h.fail(w, nil, err)
		return
	}
	after, err := lastSeen(r)
	if err != nil {
		h.fail(w, nil, err)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	events, over := make(chan orchestrator.Event, followBuffer), make(chan error, 1)
	go func() { // ends with cancel, and is waited for
		over <- f.do(h.svc, ctx, id, after, func(ev orchestrator.Event) error {
			select {
			case events <- ev:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
		close(over)
	}()
	h.pass(ctx, h.stream(w), events, over)
	cancel()
	for range over {
	}
}

// lastSeen is the number after which a client wants to hear.
func lastSeen(r *http.Request) (orchestrator.Seq, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("after")
	}
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, orchestrator.Errorf(orchestrator.CodeInvalid, "%q is not the number of an event", text)
	}
	return orchestrator.Seq(n), nil
}

// pass writes events until they are over, the client is gone or too slow, or
// the daemon ends.
func (h *handler) pass(ctx context.Context, s *stream, events <-chan orchestrator.Event, over <-chan error) {
	beat := time.NewTicker(h.Heartbeat)
	defer beat.Stop()
	ending := h.Ending
	var late <-chan time.Time
	err := s.flush()
	for err == nil {
		select {
		case ev := <-events:
			err = s.event(ev, len(events) == 0)
		case end := <-over:
			for err == nil && len(events) > 0 {
				err = s.event(<-events, false)
			}
			if err == nil {
				_ = s.send(lastFrame(end)) // the handler is at its end either way
			}
			return
		case <-beat.C:
			if err = s.write([]byte(": alive\n\n")); err == nil {
				err = s.flush()
			}
		case <-ending:
			ending, late = nil, time.After(endingTime)
		case <-late:
			_ = s.send(frame{Retry: comeAgain})
			return
		case <-ctx.Done():
			return
		}
	}
}

func (s *stream) event(ev orchestrator.Event, flush bool) error {
	text, err := json.Marshal(ev)
	if err != nil {
		return err
	}
	f := frame{ID: strconv.FormatInt(int64(ev.Seq), 10), Data: text}
	if flush {
		return s.send(f)
	}
	return s.put(f)
}

// lastFrame says how the following ended. That the orchestrator itself ends is
// no end of what was followed.
func lastFrame(err error) frame {
	switch {
	case err == nil:
		return frame{Event: frameEnd, Data: []byte("{}")}
	case orchestrator.CodeOf(err) == orchestrator.CodeInterrupted:
		return frame{Retry: comeAgain}
	}
	text, err := json.Marshal(answer{Error: failureOf(err)})
	if err != nil {
		return frame{Retry: comeAgain}
	}
	return frame{Event: frameFailed, Data: text}
}
