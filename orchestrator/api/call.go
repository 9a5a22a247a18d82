package api

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"boo/orchestrator"
)

// Bodies are bounded: a prompt and an environment are well below the first; a
// set of changes that is handed back for its patch may be large.
const (
	maxRequest = 8 << 20
	maxSets    = 256 << 20
)

// row is one row of the table as the server sees it.
type row interface {
	pattern() string // of [http.ServeMux]
	serve(h *handler, w http.ResponseWriter, r *http.Request)
}

// call is a row for a method that takes a value and returns one.
type call[In, Out any] struct {
	route string // method and path
	do    func(svc orchestrator.Service, ctx context.Context, in In) (Out, error)
	// changes says that the method changes something: who ends its context wants
	// to know all the same whether it was too late.
	changes bool
	limit   int64 // of the request's body in bytes; 0 for maxRequest
}

func (c call[In, Out]) pattern() string { return c.route }

func (c call[In, Out]) serve(h *handler, w http.ResponseWriter, r *http.Request) {
	var in In
	ctx, done, err := h.begin(w, r, &in, c.limit)
	if err != nil {
		h.fail(w, nil, err)
		return
	}
	defer done()
	out, err := c.do(h.svc, ctx, in)
	result, encodeErr := encode(out)
	if err == nil {
		err = encodeErr
	}
	if err != nil {
		h.fail(w, result, err)
		return
	}
	h.reply(w, http.StatusOK, result)
}

// on has the other side of the client carry the call out.
func (c call[In, Out]) on(ctx context.Context, cl *Client, in In) (Out, error) {
	var out Out
	resp, err := cl.ask(ctx, c.route, in, c.changes)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return out, lost(ctx, err)
	}
	if resp.StatusCode == http.StatusOK {
		return out, decode(text, &out)
	}
	return out, readFailure(resp, text, &out)
}

// readFailure turns an answer that is not a success into its error, and reads
// the result beside it if there is one.
func readFailure(resp *http.Response, text []byte, out any) error {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil || a.Error == nil {
		return orchestrator.Errorf(orchestrator.CodeInternal, "the daemon answered %q, which is none of its answers", resp.Status)
	}
	if out != nil && len(a.Result) > 0 {
		if err := decode(a.Result, out); err != nil {
			return err
		}
	}
	return a.Error.err()
}

// waitingCall is a row for a method that may have to wait for a turn, and says
// so.
type waitingCall[In, Out any] struct {
	route string
	do    func(svc orchestrator.Service, ctx context.Context, in In, waiting func()) (Out, error)
}

func (c waitingCall[In, Out]) pattern() string { return c.route }

func (c waitingCall[In, Out]) serve(h *handler, w http.ResponseWriter, r *http.Request) {
	var in In
	ctx, done, err := h.begin(w, r, &in, 0)
	if err != nil {
		h.fail(w, nil, err)
		return
	}
	defer done()
	s := h.stream(w)
	// A write that fails needs no word: the client is gone, and what has begun
	// goes on without it.
	out, err := c.do(h.svc, ctx, in, func() { _ = s.send(frame{Event: frameWaiting, Data: []byte("{}")}) })
	result, encodeErr := encode(out)
	if err == nil {
		err = encodeErr
	}
	if err == nil {
		_ = s.send(frame{Event: frameResult, Data: result})
		return
	}
	text, err := json.Marshal(answer{failureOf(err), result})
	if err == nil {
		_ = s.send(frame{Event: frameFailed, Data: text})
	}
}

func (c waitingCall[In, Out]) on(ctx context.Context, cl *Client, in In, waiting func()) (Out, error) {
	var out Out
	resp, err := cl.ask(ctx, c.route, in, true)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return out, lost(ctx, err)
		}
		return out, readFailure(resp, text, &out)
	}
	for frames := newFrameReader(resp.Body); ; {
		f, err := frames.next()
		if err != nil {
			return out, lost(ctx, err)
		}
		switch f.Event {
		case frameWaiting:
			if waiting != nil {
				waiting()
			}
		case frameResult:
			return out, decode(f.Data, &out)
		case frameFailed:
			return out, readFailure(resp, f.Data, &out)
		}
	}
}
