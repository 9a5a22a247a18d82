package api_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"boo/orchestrator"
	"boo/orchestrator/api"
)

// feed is an orchestrator of one turn, whose events are numbered as they are
// asked for: up to the last, and then over, or not.
type feed struct {
	orchestrator.Service // what is not here must not be called

	last orchestrator.Seq
	over bool
	end  error
}

func (f *feed) Follow(ctx context.Context, turn orchestrator.TurnID, after orchestrator.Seq, yield func(orchestrator.Event) error) error {
	for seq := after + 1; seq <= f.last; seq++ {
		if err := yield(orchestrator.Event{Seq: seq, Turn: turn, Kind: orchestrator.EventText, Text: "word"}); err != nil {
			return err
		}
	}
	if f.over {
		return f.end
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

const someTurn = orchestrator.TurnID("t000000001")

// collect is a yield that wants the numbers in order, and each once.
func collect(t *testing.T, after orchestrator.Seq, then func(orchestrator.Seq) error) func(orchestrator.Event) error {
	return func(ev orchestrator.Event) error {
		if ev.Seq != after+1 {
			t.Errorf("after %d comes %d", after, ev.Seq)
		}
		after = ev.Seq
		return then(ev.Seq)
	}
}

func nothing(orchestrator.Seq) error { return nil }

func quick(time.Duration) {}

func TestAFollowerGoesOnWithAnotherDaemon(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	stop := serveAt(t, socket, api.NewHandler(&feed{last: 10}, api.Options{}))
	client := api.NewClient(dialer(socket)).Pausing(quick)
	var seen orchestrator.Seq
	check(t, client.Follow(t.Context(), someTurn, 0, collect(t, 0, func(seq orchestrator.Seq) error {
		if seen = seq; seq == 10 {
			stop()
			t.Cleanup(serveAt(t, socket, api.NewHandler(&feed{last: 20, over: true}, api.Options{})))
		}
		return nil
	})))
	if seen != 20 {
		t.Errorf("the last was %d", seen)
	}
}

func TestADaemonThatEndsSendsItsFollowersAway(t *testing.T) {
	for name, first := range map[string]*feed{
		"while they wait":                  {last: 10},
		"with the orchestrator's own word": {last: 10, over: true, end: orchestrator.Errorf(orchestrator.CodeInterrupted, "boo is shutting down")},
	} {
		t.Run(name, func(t *testing.T) {
			socket := filepath.Join(t.TempDir(), "s")
			ending := make(chan struct{})
			stop := serveAt(t, socket, api.NewHandler(first, api.Options{Ending: ending}))
			next := api.NewHandler(&feed{last: 11, over: true}, api.Options{})
			var pauses []time.Duration
			client := api.NewClient(dialer(socket)).Pausing(func(d time.Duration) {
				if pauses = append(pauses, d); len(pauses) == 1 {
					stop()
					t.Cleanup(serveAt(t, socket, next))
				}
			})
			check(t, client.Follow(t.Context(), someTurn, 0, collect(t, 0, func(seq orchestrator.Seq) error {
				if seq == 10 {
					close(ending)
				}
				return nil
			})))
			if len(pauses) != 1 {
				t.Errorf("it came again after %v", pauses)
			}
		})
	}
}

func TestASlowFollowerIsCutOffAndResumes(t *testing.T) {
	var streams atomic.Int32
	cut := make(chan struct{}, 100)
	h := api.NewHandler(&feed{last: 50_000, over: true}, api.Options{Patience: 100 * time.Millisecond})
	socket := filepath.Join(t.TempDir(), "s")
	t.Cleanup(serveAt(t, socket, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		streams.Add(1)
		h.ServeHTTP(w, r)
		cut <- struct{}{}
	})))
	client := api.NewClient(dialer(socket)).Pausing(quick)
	check(t, client.Follow(t.Context(), someTurn, 0, collect(t, 0, func(seq orchestrator.Seq) error {
		if seq == 100 {
			<-cut // it reads nothing until the daemon has lost patience
		}
		return nil
	})))
	if streams.Load() < 2 {
		t.Error("it was never cut off")
	}
}

func TestADaemonThatCannotBeReachedIsGivenUp(t *testing.T) {
	refusal := orchestrator.Errorf(orchestrator.CodeDenied, "the socket is somebody else's")
	dials := 0
	var pauses []time.Duration
	client := api.NewClient(func(context.Context) (net.Conn, error) { dials++; return nil, refusal }).
		Pausing(func(d time.Duration) { pauses = append(pauses, d) })
	err := client.Follow(t.Context(), someTurn, 0, collect(t, 0, nothing))
	if !errors.Is(err, refusal) || dials != api.MaxRetries+1 {
		t.Errorf("after %d attempts: %v", dials, err)
	}
	for i, d := range pauses {
		if want := min(250*time.Millisecond<<i, 30*time.Second); d < want*3/4 || d > want*5/4 {
			t.Errorf("pause %d is %v", i, d)
		}
	}
}

func TestFollowingEndsWithWhoFollows(t *testing.T) {
	client := api.NewClient(serve(t, &feed{last: 10}, api.Options{}))
	enough := errors.New("enough")
	err := client.Follow(t.Context(), someTurn, 4, collect(t, 4, func(orchestrator.Seq) error { return enough }))
	if !errors.Is(err, enough) {
		t.Errorf("yield ends it with %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	err = client.Follow(ctx, someTurn, 0, collect(t, 0, func(seq orchestrator.Seq) error {
		if seq == 10 {
			cancel(enough)
		}
		return nil
	}))
	if !errors.Is(err, enough) {
		t.Errorf("the context ends it with %v", err)
	}
}

func TestAQuietStreamShowsThatItIsAlive(t *testing.T) {
	dial := serve(t, &feed{}, api.Options{Heartbeat: time.Millisecond})
	conn, err := dial(t.Context())
	check(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /v1/turns/t000000001/events HTTP/1.1\r\nHost: boo\r\n\r\n")
	check(t, err)
	var got strings.Builder
	for buf := make([]byte, 1000); strings.Count(got.String(), ": alive\n\n") < 3; {
		n, err := conn.Read(buf)
		check(t, err)
		got.Write(buf[:n])
	}
	if !strings.Contains(got.String(), "Content-Type: text/event-stream\r\n") {
		t.Errorf("the stream begins %q", got.String())
	}
}

func TestAStreamBeginsWhereTheClientSays(t *testing.T) {
	dial := serve(t, &feed{last: 10, over: true}, api.Options{})
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }}}
	defer client.CloseIdleConnections()
	for query, want := range map[string]string{
		"?after=9": `{"seq":10,`, "?after=x": `"code":"invalid"`, "?after=-1": `"code":"invalid"`, "": `{"seq":1,`,
	} {
		resp, err := client.Get("http://boo/v1/turns/t000000001/events" + query)
		check(t, err)
		text, err := io.ReadAll(resp.Body)
		check(t, err)
		resp.Body.Close()
		if !strings.Contains(string(text), want) {
			t.Errorf("%q begins with %.100s", query, text)
		}
	}
}
