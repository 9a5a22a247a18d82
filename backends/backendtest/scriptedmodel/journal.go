package scriptedmodel

import (
	"context"
	"slices"
	"sync"
)

// Request is a request to the model, as it was recorded when it came in.
type Request struct {
	Path string
	Body []byte
	Side bool // it offers no tools: a title, say
}

// keep is how many of the newest requests are kept with their bodies.
const keep = 1000

// journal records requests and tells those who wait for them.
type journal struct {
	mu     sync.Mutex
	newest []Request
	turns  int           // requests so far that are no side calls
	more   chan struct{} // closed and replaced with every request
}

func newJournal() *journal { return &journal{more: make(chan struct{})} }

func (j *journal) add(r Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.newest) == keep {
		j.newest = slices.Delete(j.newest, 0, 1)
	}
	j.newest = append(j.newest, r)
	if !r.Side {
		j.turns++
	}
	close(j.more)
	j.more = make(chan struct{})
}

// Requests returns the newest requests, at most 1000, in the order they came.
func (s *Server) Requests() []Request {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return slices.Clone(s.log.newest)
}

// Count returns how many requests came in that are no side calls.
func (s *Server) Count() int {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.log.turns
}

// Await returns when at least n requests that are no side calls have come in,
// which says nothing about their answers, or with ctx's error.
func (s *Server) Await(ctx context.Context, n int) error {
	for {
		s.log.mu.Lock()
		enough, more := s.log.turns >= n, s.log.more
		s.log.mu.Unlock()
		if enough {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
