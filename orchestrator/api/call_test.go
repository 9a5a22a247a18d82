package api_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/api"
)

// held is an orchestrator whose calls wait for the end of their context.
type held struct {
	orchestrator.Service // what is not here must not be called

	begun   chan struct{}
	ended   chan error // why a call ended
	written string     // of a patch before it fails
}

func newHeld() *held { return &held{begun: make(chan struct{}, 1), ended: make(chan error, 1)} }

func (h *held) hold(ctx context.Context) error {
	h.begun <- struct{}{}
	<-ctx.Done()
	h.ended <- context.Cause(ctx)
	return context.Cause(ctx)
}

// Send is too far when its context ends.
func (h *held) Send(ctx context.Context, req orchestrator.SendRequest) (orchestrator.Sent, error) {
	_ = h.hold(ctx)
	return orchestrator.Sent{Turn: someTurn, Agent: req.Agent}, nil
}

func (h *held) Undo(ctx context.Context, _ string, waiting func()) (orchestrator.ApplyResult, error) {
	waiting()
	return orchestrator.ApplyResult{}, h.hold(ctx)
}

func (h *held) Chats(ctx context.Context, _ orchestrator.ChatsRequest) ([]orchestrator.ChatSummary, error) {
	return nil, h.hold(ctx)
}

func (h *held) WriteDiff(_ context.Context, w io.Writer, _ orchestrator.ChangeSet, _ []orchestrator.Change, _ bool) error {
	if _, err := io.WriteString(w, h.written); err != nil {
		return err
	}
	return orchestrator.Errorf(orchestrator.CodeFull, "no spaceé").WithHint("df -h")
}

var errGaveUp = errors.New("given up")

// giveUp ends the context that it returns as soon as a call has begun.
func (h *held) giveUp(t *testing.T) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { // ends with the call
		<-h.begun
		cancel(errGaveUp)
	}()
	return ctx
}

func TestWhoGivesUpSendingHearsThatItWasTooLate(t *testing.T) {
	h := newHeld()
	client := api.NewClient(serve(t, h, api.Options{}))
	sent, err := client.Send(h.giveUp(t), orchestrator.SendRequest{Agent: "one"})
	if sent.Turn != someTurn || err != nil {
		t.Errorf("sent %+v, %v", sent, err)
	}
	if err := <-h.ended; orchestrator.CodeOf(err) != orchestrator.CodeInterrupted {
		t.Errorf("the call ended with %v", err)
	}
}

func TestWhoGivesUpWaitingEndsTheCall(t *testing.T) {
	h := newHeld()
	client := api.NewClient(serve(t, h, api.Options{}))
	waited := false
	_, err := client.Undo(h.giveUp(t), "/", func() { waited = true })
	if orchestrator.CodeOf(err) != orchestrator.CodeInterrupted || !waited {
		t.Errorf("%v, waited: %v", err, waited)
	}
	<-h.ended
}

func TestWhoGivesUpReadingEndsTheReading(t *testing.T) {
	h := newHeld()
	client := api.NewClient(serve(t, h, api.Options{}))
	if _, err := client.Chats(h.giveUp(t), orchestrator.ChatsRequest{All: true}); !errors.Is(err, errGaveUp) {
		t.Errorf("%v", err)
	}
	<-h.ended
}

func TestAClientThatDiesEndsItsCall(t *testing.T) {
	h := newHeld()
	dial := serve(t, h, api.Options{})
	conn, err := dial(t.Context())
	check(t, err)
	_, err = io.WriteString(conn, "POST /v1/undo HTTP/1.1\r\nHost: boo\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	check(t, err)
	<-h.begun
	check(t, conn.Close())
	<-h.ended
}

func TestNothingIsBegunAfterTheContextEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errGaveUp)
	client := api.NewClient(func(context.Context) (net.Conn, error) {
		t.Error("the daemon was asked")
		return nil, errGaveUp
	})
	if _, err := client.Send(ctx, orchestrator.SendRequest{}); !errors.Is(err, errGaveUp) {
		t.Errorf("%v", err)
	}
}

func TestAPatchThatBreaksOffSaysWhy(t *testing.T) {
	for _, written := range []string{"", "diff --git\n", strings.Repeat("+line\n", 100_000)} {
		h := newHeld()
		h.written = written
		client := api.NewClient(serve(t, h, api.Options{}))
		var got bytes.Buffer
		err := client.WriteDiff(t.Context(), &got, orchestrator.ChangeSet{}, nil, false)
		if got.String() != written {
			t.Errorf("%d of %d bytes came", got.Len(), len(written))
		}
		if orchestrator.CodeOf(err) != orchestrator.CodeFull || err.Error() != "no spaceé" || orchestrator.HintOf(err) != "df -h" {
			t.Errorf("after %d bytes: %v", len(written), err)
		}
	}
}

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errGaveUp }

func TestAWriterThatFailsIsNoFaultOfTheDaemon(t *testing.T) {
	h := newHeld()
	h.written = "diff --git\n"
	client := api.NewClient(serve(t, h, api.Options{}))
	if err := client.WriteDiff(t.Context(), full{}, orchestrator.ChangeSet{}, nil, false); !errors.Is(err, errGaveUp) {
		t.Errorf("%v", err)
	}
}

func TestADaemonThatGoesAwayLeavesTheAnswerOpen(t *testing.T) {
	client := api.NewClient(func(context.Context) (net.Conn, error) {
		near, far := net.Pipe()
		go func() { // ends with the connection
			_, _ = far.Read(make([]byte, 10))
			_ = far.Close()
		}()
		return near, nil
	})
	_, err := client.Send(t.Context(), orchestrator.SendRequest{Prompt: "secret"})
	if orchestrator.CodeOf(err) != orchestrator.CodeUnverified || strings.Contains(err.Error(), "http://") {
		t.Errorf("%v", err)
	}
}

func TestRequestsAreBoundedAndPlain(t *testing.T) {
	dial := serve(t, newHeld(), api.Options{})
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }}}
	defer client.CloseIdleConnections()
	for _, c := range []struct{ path, kind, body, want string }{
		{"/v1/chats", "application/json", `{"dir":"` + strings.Repeat("x", 9<<20) + `"}`, "more than 8 MiB"},
		{"/v1/send", "text/plain", `{}`, "not application/json"},
		{"/v1/send", "application/json", `{"promt":""}`, `no \"promt\"`},
		{"/v2/send", "application/json", `{}`, "no call POST /v2/send"},
	} {
		resp, err := client.Post("http://boo"+c.path, c.kind, strings.NewReader(c.body))
		check(t, err)
		text, err := io.ReadAll(resp.Body)
		check(t, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), c.want) {
			t.Errorf("%s as %s: %s %.200s", c.path, c.kind, resp.Status, text)
		}
	}
}
