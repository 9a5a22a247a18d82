package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"

	"boo/orchestrator"
)

// The requests that the daemon itself answers. They are the same in every boo,
// so that one can tell another to make room.
const (
	infoPath = "/daemon"
	stopPath = "/daemon/stop"
)

// When a daemon is asked to end.
const (
	stopNow    = "now"     // what runs is interrupted
	stopIdle   = "idle"    // as soon as nothing runs
	stopIfIdle = "if-idle" // now if nothing runs, else as soon as nothing does; does not wait
)

// control answers the daemon's own requests.
type control struct {
	info Info
	work Work
	stop context.CancelCauseFunc // begins the end
	life context.Context         // ends with it

	held *held // those who wait for the end

	watch   sync.WaitGroup // of the moment at which nothing runs
	mu      sync.Mutex
	leaving bool
}

func (c *control) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+infoPath, c.serveInfo)
	mux.HandleFunc("POST "+stopPath, c.serveStop)
	mux.Handle("/", c.work)
	return mux
}

func (c *control) serveInfo(w http.ResponseWriter, _ *http.Request) {
	info := c.info
	info.Memory = resident()
	c.mu.Lock()
	info.Leaving = c.leaving
	c.mu.Unlock()
	answer(w, http.StatusOK, info)
}

// stopAnswer is what a daemon says that will not end at once.
type stopAnswer struct {
	UnderWay int `json:"under_way"`
}

// resident is how much of this process is in memory, in bytes; 0 if that cannot
// be found out.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	var size, pages int64
	if err != nil {
		return 0
	}
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// serveStop ends the daemon. Unless it was asked to do so only if it is idle
// and is not, it answers with the end of the connection, when all is over.
func (c *control) serveStop(w http.ResponseWriter, r *http.Request) {
	when := r.URL.Query().Get("when")
	switch when {
	case stopNow:
		c.stop(errAsked)
	case stopIdle, stopIfIdle:
		if n := c.work.Retire(); n == 0 {
			c.stop(errAsked)
		} else {
			c.leave()
			if when == stopIfIdle {
				answer(w, http.StatusAccepted, stopAnswer{UnderWay: n})
				return
			}
		}
	default:
		reply(w, http.StatusBadRequest, orchestrator.Errorf(orchestrator.CodeInvalid, "a daemon cannot be stopped %q", when))
		return
	}
	c.held.hold(w)
}

// leave ends the daemon at the first moment at which nothing runs.
func (c *control) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaving {
		return
	}
	c.leaving = true
	c.watch.Go(func() {
		for c.work.WaitIdle(c.life) == nil {
			if c.work.Retire() == 0 {
				c.stop(errAsked)
				return
			}
		}
	})
}

// held are connections of those who wait for the end of the daemon.
type held struct {
	mu    sync.Mutex
	conns []net.Conn
}

// hold keeps a connection open until the daemon is gone.
func (h *held) hold(w http.ResponseWriter) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = rw.WriteString("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
	_ = rw.Flush()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conns = append(h.conns, conn)
}

// release ends the connections.
func (h *held) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, conn := range h.conns {
		_ = conn.Close()
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // who asked may have left
}

// fault is an error on its way to another process.
type fault struct {
	Code    orchestrator.Code `json:"code"`
	Message string            `json:"message"`
	Hint    string            `json:"hint,omitempty"`
}

func faultOf(err error) *fault {
	return &fault{Code: orchestrator.CodeOf(err), Message: err.Error(), Hint: orchestrator.HintOf(err)}
}

func (f *fault) err() error { return &orchestrator.Error{Code: f.Code, Msg: f.Message, Hint: f.Hint} }

// refusal is the form in which package api tells of errors too.
type refusal struct {
	Error *fault `json:"error"`
}

func reply(w http.ResponseWriter, status int, err error) { answer(w, status, refusal{faultOf(err)}) }
