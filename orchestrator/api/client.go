package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"boo/orchestrator"
)

// Dial connects to a daemon, and may start one. Its coded errors come back from
// the client's methods as they are.
type Dial func(ctx context.Context) (net.Conn, error)

// Client is an orchestrator behind a connection. Its methods may be called
// concurrently.
type Client struct {
	http  *http.Client // keeps connections for the next call
	pause func(ctx context.Context, d time.Duration) error
}

var _ orchestrator.Service = (*Client)(nil)

// NewClient returns a client that reaches its daemon through dial. Nothing is
// dialled before the first call.
func NewClient(dial Dial) *Client {
	return &Client{pause: pause, http: &http.Client{Transport: &http.Transport{
		DialContext:        func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		DisableCompression: true,
		IdleConnTimeout:    idleTime / 2, // before the server closes it
	}}}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close releases the client's connections. The daemon goes on.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// ask sends a request and returns the answer, whose body the caller closes. A
// call that changes something is not given up when ctx ends, but told to end,
// and what it answers then is the truth about it.
func (c *Client) ask(ctx context.Context, route string, in any, changes bool) (*http.Response, error) {
	body, err := encode(in)
	if err != nil {
		return nil, err
	}
	if !changes {
		resp, err := c.send(ctx, route, body, "")
		if err != nil {
			return nil, lost(ctx, err)
		}
		return resp, nil
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	name := rand.Text()
	detached, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	told := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { // waited for by finish
		defer close(told)
		if !c.endCall(detached, name) {
			giveUp()
		}
	})
	finish := func() {
		if !stop() {
			<-told
		}
		giveUp()
	}
	resp, err := c.send(detached, route, body, name)
	if err != nil {
		finish()
		return nil, lost(ctx, err)
	}
	resp.Body = &finishing{ReadCloser: resp.Body, finish: finish}
	return resp, nil
}

func (c *Client) send(ctx context.Context, route string, body []byte, name string) (*http.Response, error) {
	method, path, _ := strings.Cut(route, " ")
	req, err := http.NewRequestWithContext(ctx, method, "http://boo"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Body = http.NoBody
	}
	if name == "" {
		// Not sent: it tells the transport that asking twice does no harm, if a
		// connection that was kept turns out to be dead. What changes something is
		// sent once, unless not a byte of it was.
		req.Header["Idempotency-Key"] = []string{}
	} else {
		req.Header.Set(callHeader, name)
	}
	return c.http.Do(req)
}

// endingCall is how long the daemon has to take note that a call shall end.
const endingCall = 5 * time.Second

// endCall has the daemon end a call's context. That the call is unknown is as
// good: it is over, or its connection has not come through.
func (c *Client) endCall(ctx context.Context, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, endingCall)
	defer cancel()
	resp, err := c.send(ctx, "DELETE /v1/calls/"+name, nil, "")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusNoContent
}

// finishing ends what belongs to a request together with its answer.
type finishing struct {
	io.ReadCloser
	finish func()
}

func (f *finishing) Close() error {
	err := f.ReadCloser.Close()
	f.finish()
	return err
}

// lost is the error of a call that got no answer, or not all of it.
func lost(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if coded, ok := errors.AsType[*orchestrator.Error](err); ok {
		return coded
	}
	return orchestrator.Errorf(orchestrator.CodeUnverified, "boo's daemon went away before it answered: %w", bare(err)).
		WithHint("boo daemon status")
}

// bare is an error without the made-up address that net/http puts before it.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
