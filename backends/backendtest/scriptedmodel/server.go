package scriptedmodel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options is what a [Server] is made of. The zero value plays what prompts say.
type Options struct {
	// Scenario is asked first; a prompt that it does not know is read as script.
	Scenario Scenario
}

// Server is a model on a loopback port. Its methods may be called concurrently.
type Server struct {
	scenario Scenario
	url      string
	http     *http.Server
	stop     context.CancelFunc // ends every answer
	log      *journal

	mu       sync.Mutex
	closed   bool
	handlers sync.WaitGroup // joined under mu, and only while not closed

	served chan struct{} // closed when Serve has returned
}

// maxBody bounds the body of a request, in bytes.
const maxBody = 256 << 20

// Start starts a server on 127.0.0.1, on a port that was free. Whoever starts
// it must close it.
func Start(o Options) (*Server, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start scripted model: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{
		scenario: o.Scenario,
		url:      "http://" + listener.Addr().String(),
		stop:     stop,
		log:      newJournal(),
		served:   make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /v1/chat/completions", s.chatCompletions)
	mux.HandleFunc("POST /v1/responses", s.responses)
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", s.countTokens)
	mux.HandleFunc("POST /v1beta/models/{call}", s.content)
	s.http = &http.Server{
		Handler:           mux,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
	}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener) // always ends with ErrServerClosed, by Close
	}()
	return s, nil
}

// URL returns the server's address, "http://127.0.0.1:PORT", without a path.
func (s *Server) URL() string { return s.url }

// Close drops every connection and returns when nothing of the server runs any
// more. It may be called twice.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	err := s.http.Close()
	<-s.served
	s.handlers.Wait()
	return err
}

// read reads a request; ok is false if it has been answered.
func (s *Server) read(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "read request: "+err.Error(), http.StatusBadRequest)
		return nil, false
	}
	return body, true
}

// enter reports whether a request may still be answered; if so, the caller
// owes a handlers.Done.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.handlers.Add(1)
	}
	return !s.closed
}

// serve records a request and plays its answer, and drops the connection where
// the script says so.
func (s *Server) serve(r *http.Request, body []byte, req request, out answer) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.handlers.Done()
	s.log.add(Request{Path: r.URL.Path, Body: body, Side: len(req.Tools) == 0})
	if err := play(r.Context(), req, s.scenario, out); errors.Is(err, abortCut) {
		panic(http.ErrAbortHandler) // net/http's way to drop a connection
	}
}
