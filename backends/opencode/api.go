package opencode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	callTime   = 15 * time.Second
	promptTime = 60 * time.Second // also for a new session: the first of a directory loads its plugins
	probeTime  = 5 * time.Second
	maxAnswer  = 256 << 20
	// A turn is looked at through its newest messages: so many answers to one
	// prompt that something was missed in all but them do not occur.
	lookBack = 30
)

// api is a client of one server. Its methods may be called concurrently.
type api struct {
	base     string // "http://127.0.0.1:PORT"
	password string
	http     *http.Client
}

func newAPI(base, password string) *api {
	return &api{base: base, password: password, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
}

// refusal is an answer of the server that is none of success.
type refusal struct {
	Status int
	Name   string
	Text   string
}

func (r *refusal) Error() string {
	if r.Text == "" {
		return fmt.Sprintf("HTTP status %d %s", r.Status, r.Name)
	}
	return r.Text
}

func isUnknown(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.Status == http.StatusNotFound
}

func (a *api) request(ctx context.Context, method, path, dir string, body any) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, content)
	if err != nil {
		return nil, err
	}
	if dir != "" {
		query := req.URL.Query()
		query.Set("directory", dir)
		req.URL.RawQuery = query.Encode()
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.SetBasicAuth(user, a.password)
	return req, nil
}

// call makes one request, and decodes the answer into into unless that is nil.
func (a *api) call(ctx context.Context, limit time.Duration, method, path, dir string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := a.request(ctx, method, path, dir, body)
	if err != nil {
		return err
	}
	answer, err := a.http.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		return refused(answer.StatusCode, text)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

func refused(status int, text []byte) error {
	var f failure
	_ = json.Unmarshal(text, &f) // what is no error object has a status at least
	return &refusal{Status: status, Name: f.Name, Text: f.text()}
}

// health asks whether the server is well; its version is told.
func (a *api) health(ctx context.Context, limit time.Duration) (version string, err error) {
	var h struct {
		Healthy bool   `json:"healthy"`
		Version string `json:"version"`
	}
	if err := a.call(ctx, limit, http.MethodGet, "/global/health", "", nil, &h); err != nil {
		return "", err
	}
	if !h.Healthy {
		return h.Version, errors.New("the server says that it is not healthy")
	}
	return h.Version, nil
}

func (a *api) create(ctx context.Context, dir string) (sessionInfo, error) {
	var s sessionInfo
	err := a.call(ctx, promptTime, http.MethodPost, "/session", dir, struct{}{}, &s)
	return s, err
}

func (a *api) session(ctx context.Context, dir, id string) (sessionInfo, error) {
	var s sessionInfo
	err := a.call(ctx, promptTime, http.MethodGet, "/session/"+url.PathEscape(id), dir, nil, &s)
	return s, err
}

// messages returns the newest messages of a session, the oldest of them first.
func (a *api) messages(ctx context.Context, dir, id string, limit int) ([]message, error) {
	var all []message
	path := "/session/" + url.PathEscape(id) + "/message"
	if limit > 0 {
		path += "?limit=" + strconv.Itoa(limit)
	}
	err := a.call(ctx, callTime, http.MethodGet, path, dir, nil, &all)
	return all, err
}

// busy reports whether the server works at a session.
func (a *api) busy(ctx context.Context, dir, id string) (bool, error) {
	var all map[string]status
	err := a.call(ctx, callTime, http.MethodGet, "/session/status", dir, nil, &all)
	s, there := all[id]
	return there && s.Type != statusIdle, err
}

// prompt hands a prompt over; the server answers before it begins with it.
func (a *api) prompt(ctx context.Context, dir, id string, p prompt) error {
	return a.call(ctx, promptTime, http.MethodPost, "/session/"+url.PathEscape(id)+"/prompt_async", dir, p, nil)
}

// abort returns when the server has stopped the session, which can take as
// long as a tool takes that is deaf to it. It succeeds for an idle session too.
func (a *api) abort(ctx context.Context, dir, id string, limit time.Duration) error {
	return a.call(ctx, limit, http.MethodPost, "/session/"+url.PathEscape(id)+"/abort", dir, nil, nil)
}

// permit answers a permission request with once, always or reject.
func (a *api) permit(ctx context.Context, dir, request, reply string) error {
	body := map[string]string{"reply": reply}
	return a.call(ctx, callTime, http.MethodPost, "/permission/"+url.PathEscape(request)+"/reply", dir, body, nil)
}

// decline tells the agent that nobody answers its question.
func (a *api) decline(ctx context.Context, dir, question string) error {
	return a.call(ctx, callTime, http.MethodPost, "/question/"+url.PathEscape(question)+"/reject", dir, nil, nil)
}
