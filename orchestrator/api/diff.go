package api

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
)

// trailerError carries the error of a patch that was cut off half-way, as JSON,
// percent-encoded.
const trailerError = "Boo-Error"

// diffCall is the row of WriteDiff: the body of the answer is the patch itself.
type diffCall struct{ route string }

func (c diffCall) pattern() string { return c.route }

func (c diffCall) serve(h *handler, w http.ResponseWriter, r *http.Request) {
	var in diffIn
	ctx, done, err := h.begin(w, r, &in, maxSets)
	if err != nil {
		h.fail(w, nil, err)
		return
	}
	defer done()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Trailer", trailerError)
	body := &begun{Writer: w}
	err = h.svc.WriteDiff(ctx, body, in.Set, in.Changes, in.Words)
	switch {
	case err == nil:
	case !body.any:
		w.Header().Del("Trailer")
		h.fail(w, nil, err)
	default:
		if text, err := json.Marshal(failureOf(err)); err == nil {
			w.Header().Set(trailerError, url.PathEscape(string(text)))
		}
	}
}

// begun notes whether anything was written.
type begun struct {
	io.Writer
	any bool
}

func (b *begun) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil // it would send the headers
	}
	b.any = true
	return b.Writer.Write(p)
}

func (c diffCall) on(ctx context.Context, cl *Client, w io.Writer, in diffIn) error {
	resp, err := cl.ask(ctx, c.route, in, false)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return lost(ctx, err)
		}
		return readFailure(resp, text, nil)
	}
	body := &source{Reader: resp.Body}
	if _, err := io.Copy(w, body); err != nil {
		if body.err != nil {
			return lost(ctx, body.err)
		}
		return err // of w: none of ours
	}
	text, err := url.PathUnescape(resp.Trailer.Get(trailerError))
	if err != nil || text == "" {
		return err
	}
	var f failure
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return err
	}
	return f.err()
}

// source notes why reading ended.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
