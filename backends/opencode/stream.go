package opencode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	retryMax = 30 * time.Second
	// So many rounds of a lost stream and a failed probe in a row, and so much
	// silence, and the server is hung. Work in flight buys it patience: killing
	// a busy server for being slow loses that work.
	hungIdle   = 4
	hungBusy   = 20
	silentBusy = 120 * time.Second
)

// listen keeps the stream of events up until ctx ends or the server is given
// up. It is the only one that probes the server's health, and only once the
// stream is lost: while events come, nothing is polled.
func (h *Host) listen(ctx context.Context) {
	heard := time.Now()
	for round := 0; ; round++ {
		connected, err := h.hear(ctx, func() { heard = time.Now() })
		if ctx.Err() != nil {
			return
		}
		if connected {
			round = 0
		}
		if _, unwell := h.api.health(ctx, probeTime); unwell == nil {
			round = 0 // it answers: the stream alone is lost
		} else if h.isHung(round+1, time.Since(heard)) {
			h.giveUp(ctx, fmt.Sprintf("boo ended it: no event for %s, and no answer: %v", time.Since(heard).Round(time.Second), err))
			return
		}
		select {
		case <-time.After(h.pace.backOff(round)):
		case <-h.child.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}

// backOff is the wait before the next try, with a quarter of it at random.
func (p pace) backOff(round int) time.Duration {
	wait := p.retry << min(round, 7)
	wait = min(wait, retryMax)
	return wait*3/4 + rand.N(wait/2)
}

// isHung judges by both signals: what the stream and the probes say.
func (h *Host) isHung(rounds int, silent time.Duration) bool {
	if h.working(nil) {
		return rounds >= hungBusy && silent >= silentBusy
	}
	return rounds >= hungIdle && silent >= h.pace.stall
}

// giveUp ends a server that is hung; its sessions see it as any other end.
func (h *Host) giveUp(ctx context.Context, why string) {
	h.mu.Lock()
	h.hung = why
	h.mu.Unlock()
	_ = h.child.End(ctx, termGrace) // tried again by Close
}

// hear reads the stream until it ends. connected tells whether it was live.
func (h *Host) hear(ctx context.Context, heard func()) (connected bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(h.pace.stall, func() { cancel(errStalled) })
	defer stall.Stop()
	req, err := h.api.request(ctx, http.MethodGet, "/global/event", "", nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept", "text/event-stream")
	answer, err := h.api.http.Do(req)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return false, fmt.Errorf("the stream of events: HTTP status %d", answer.StatusCode)
	}
	defer h.setDeaf()
	pulse := pulsed{answer.Body, func() {
		stall.Reset(h.pace.stall)
		heard()
	}}
	err = frames(pulse, func(data []byte) {
		u, event, known := decode(data)
		switch {
		case event == "server.connected":
			connected = true
			h.setLive()
		case !known:
			h.counts.Unknown.Add(1)
		case u.kind != 0:
			h.route(ctx, u)
		}
	})
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return connected, err
}

var errStalled = errors.New("no byte of the stream came for too long")

// pulsed tells of every read that brought something.
type pulsed struct {
	io.Reader
	beat func()
}

func (p pulsed) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if n > 0 {
		p.beat()
	}
	return n, err
}

// setLive lets prompts go out, and has the turns in flight look what they
// missed.
func (h *Host) setLive() {
	h.mu.Lock()
	select {
	case <-h.live:
	default:
		close(h.live)
	}
	h.mu.Unlock()
	for _, s := range h.all() {
		if t := s.current(); t != nil {
			t.missed()
		}
	}
}

func (h *Host) setDeaf() {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.live:
		h.live = make(chan struct{})
	default:
	}
}

// awaitLive waits until events come.
func (h *Host) awaitLive(ctx context.Context) error {
	h.mu.Lock()
	live := h.live
	h.mu.Unlock()
	select {
	case <-live:
		return nil
	case <-h.child.Done():
		return errExited
	case <-time.After(liveTime):
		return errSilent
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// route hands an event to the turn that it may be about. A turn that takes
// long with it slows the stream, and so the server's memory bears the flood.
func (h *Host) route(ctx context.Context, u update) {
	if u.kind == kindSession {
		if u.parent != "" {
			h.adopt(u.session, u.parent)
		}
		return
	}
	s, own := h.find(u.session)
	if s == nil {
		h.counts.Foreign.Add(1)
		return
	}
	t := s.current()
	if t == nil && own && u.kind == kindMessage {
		s.lay(u.info)
	}
	if t == nil || !own && u.kind != kindAsked && u.kind != kindQuestion && u.kind != kindReplied {
		h.counts.Stale.Add(1)
		return
	}
	select {
	case t.in <- u:
	case <-t.ended:
	case <-ctx.Done():
	}
}
