package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"boo/orchestrator"
)

const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = 30 * time.Second
	// So many attempts in a row without one frame, about a minute, and the
	// daemon is given up.
	maxRetries = 8
	// A stream that shows no sign of life for three heartbeats is dead.
	deafTime = 45 * time.Second
)

// on follows over as many connections as it takes. Every event is yielded once:
// each connection begins after the last one that was.
func (f follow[ID]) on(ctx context.Context, cl *Client, id ID, after orchestrator.Seq, yield func(orchestrator.Event) error) error {
	_, path, _ := strings.Cut(f.route, " ")
	l := listener{cl: cl, path: strings.Replace(path, "{id}", url.PathEscape(string(id)), 1), after: after, yield: yield}
	wait := firstRetry
	for failures := 0; ; {
		over, err := l.listen(ctx)
		if over {
			return err
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if l.heard {
			failures, wait, l.heard = 0, firstRetry, false
		}
		if failures++; failures > maxRetries {
			return lost(ctx, err)
		}
		if l.retry > 0 {
			wait, l.retry = l.retry, 0
		}
		if err := cl.pause(ctx, jitter(wait)); err != nil {
			return err
		}
		wait = min(2*wait, lastRetry)
	}
}

// jitter spreads those who were cut off at the same moment, by a quarter.
func jitter(d time.Duration) time.Duration {
	return d - d/4 + rand.N(d/2+1)
}

// listener hears one stream after the other.
type listener struct {
	cl    *Client
	path  string
	after orchestrator.Seq
	yield func(orchestrator.Event) error
	heard bool          // anything since the last failure
	retry time.Duration // what the daemon said about coming again
}

// listen hears one stream. over says that there is nothing to come again for.
func (l *listener) listen(ctx context.Context) (over bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://boo"+l.path, nil)
	if err != nil {
		return true, err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Last-Event-ID", strconv.FormatInt(int64(l.after), 10))
	resp, err := l.cl.http.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return false, err
		}
		err = readFailure(resp, text, nil)
		return orchestrator.CodeOf(err) != orchestrator.CodeInterrupted, err
	}
	deaf := time.AfterFunc(deafTime, cancel)
	defer deaf.Stop()
	frames := newFrameReader(alive{resp.Body, deaf})
	for {
		deaf.Reset(deafTime)
		f, err := frames.next()
		deaf.Stop() // whoever is told may take their time
		if errors.Is(err, errLongFrame) {
			return true, orchestrator.Errorf(orchestrator.CodeInternal, "%w", err)
		}
		if err != nil {
			return false, err
		}
		l.heard = true
		if over, err := l.take(f); over {
			return true, err
		}
	}
}

// alive puts off the moment at which a stream counts as dead.
type alive struct {
	io.Reader
	deaf *time.Timer
}

func (a alive) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	a.deaf.Reset(deafTime)
	return n, err
}

// take handles one frame; over says that it was the last.
func (l *listener) take(f frame) (over bool, err error) {
	if f.Retry > 0 {
		l.retry = f.Retry
	}
	switch f.Event {
	case frameEnd:
		return true, nil
	case frameFailed:
		var a answer
		if err := json.Unmarshal(f.Data, &a); err != nil {
			return true, orchestrator.Errorf(orchestrator.CodeInternal, "read why the events ended: %w", err)
		}
		return true, a.Error.err()
	case "":
	default:
		return false, nil // of a newer daemon
	}
	if f.Data == nil {
		return false, nil
	}
	var ev orchestrator.Event
	if err := json.Unmarshal(f.Data, &ev); err != nil {
		return true, orchestrator.Errorf(orchestrator.CodeInternal, "read an event: %w", err)
	}
	if ev.Seq <= l.after {
		return false, nil
	}
	if err := l.yield(ev); err != nil {
		return true, err
	}
	l.after = ev.Seq // only what was taken is not asked for again
	return false, nil
}
