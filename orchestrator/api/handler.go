package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"

	"boo/orchestrator"
)

// Options are what a handler takes from outside. The zero value is complete.
type Options struct {
	// Ending is closed when the daemon shuts down. Streams that do not end by
	// themselves within a second are then ended with a hint to come again.
	Ending <-chan struct{}
	// Heartbeat is how often a stream shows that it is alive; 0 for 15 s.
	Heartbeat time.Duration
	// Patience is how long a write to a stream may block before its reader is
	// cut off; 0 for 10 s.
	Patience time.Duration
}

const (
	headerTime = 10 * time.Second
	bodyTime   = time.Minute
	idleTime   = 2 * time.Minute
	maxHeader  = 64 << 10
	// callHeader names a call, so that it can be ended by another request.
	callHeader = "Boo-Call"
)

// NewHandler serves svc. Whoever may connect may do everything.
func NewHandler(svc orchestrator.Service, opts Options) http.Handler {
	if opts.Heartbeat == 0 {
		opts.Heartbeat = 15 * time.Second
	}
	if opts.Patience == 0 {
		opts.Patience = 10 * time.Second
	}
	h := &handler{Options: opts, svc: svc, calls: map[string]context.CancelCauseFunc{}}
	mux := http.NewServeMux()
	for _, r := range rows() {
		mux.HandleFunc(r.pattern(), func(w http.ResponseWriter, req *http.Request) { r.serve(h, w, req) })
	}
	mux.HandleFunc("DELETE /v1/calls/{call}", h.endCall)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.fail(w, nil, orchestrator.Errorf(orchestrator.CodeInvalid, "this boo has no call %s %s", r.Method, r.URL.Path).
			WithHint("boo daemon stop   (the next command starts the newer one)"))
	})
	return mux
}

// NewServer returns a server for a handler, with limits for clients that send
// their headers slowly, or too many, or leave connections open.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader}
}

type handler struct {
	Options
	svc orchestrator.Service

	mu    sync.Mutex
	calls map[string]context.CancelCauseFunc // those that can be ended by name
}

// begin reads what is asked into in; a GET asks nothing. The context ends with the client, or when
// the call is ended by its name; done is called when the call is through. What
// has begun to change something is carried through by the service itself.
func (h *handler) begin(w http.ResponseWriter, r *http.Request, in any, limit int64) (context.Context, func(), error) {
	if limit == 0 {
		limit = maxRequest
	}
	if r.Method == http.MethodGet {
		return r.Context(), func() {}, nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, nil, orchestrator.Errorf(orchestrator.CodeInvalid, "the request is not application/json")
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // a writer without deadlines has no slow client
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	_ = control.SetReadDeadline(time.Time{})
	if tooLong, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, nil, orchestrator.Errorf(orchestrator.CodeInvalid, "the request has more than %d MiB", tooLong.Limit>>20)
	}
	if err != nil {
		return nil, nil, orchestrator.Errorf(orchestrator.CodeInvalid, "read the request: %w", err)
	}
	if err := decode(text, in); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	name := r.Header.Get(callHeader)
	if name != "" {
		h.mu.Lock()
		h.calls[name] = cancel
		h.mu.Unlock()
	}
	return ctx, func() {
		cancel(nil)
		h.mu.Lock()
		delete(h.calls, name)
		h.mu.Unlock()
	}, nil
}

// endCall ends the context of a call that still runs. Its own answer tells what
// became of it.
func (h *handler) endCall(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	cancel, ok := h.calls[r.PathValue("call")]
	h.mu.Unlock()
	if !ok {
		h.fail(w, nil, orchestrator.Errorf(orchestrator.CodeNotFound, "no such call runs"))
		return
	}
	cancel(orchestrator.Errorf(orchestrator.CodeInterrupted, "stopped"))
	w.WriteHeader(http.StatusNoContent)
}

func (h *handler) fail(w http.ResponseWriter, result []byte, err error) {
	status, ok := statuses[orchestrator.CodeOf(err)]
	if !ok {
		status = http.StatusInternalServerError
	}
	text, err := json.Marshal(answer{failureOf(err), result})
	if err != nil {
		text = []byte(`{"error":{"code":"internal","message":"the result has no JSON form"}}`)
	}
	h.reply(w, status, text)
}

func (h *handler) reply(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // a client that went away needs no answer
}
