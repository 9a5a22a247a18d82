package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// ask has the daemon tell about itself, and keeps the connection.
func (c *Client) ask(ctx context.Context) (info Info, err error) {
	body, conn, err := c.call(ctx, http.MethodGet, infoPath)
	if err != nil {
		return info, err
	}
	c.asked.keep(conn)
	if err := json.Unmarshal(body, &info); err != nil {
		return info, fmt.Errorf("read what the daemon says: %w", err)
	}
	return info, nil
}

// errBroken says that a connection was lost in the middle of an answer.
var errBroken = errors.New("the daemon's answer broke off")

// call sends one request on a connection of its own, over which others may follow.
func (c *Client) call(ctx context.Context, method, path string) ([]byte, net.Conn, error) {
	conn, err := c.Place.dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	ended := context.AfterFunc(ctx, func() { _ = conn.Close() }) // ends what waits for it
	body, err := exchange(conn, method, path)
	if !ended() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close()
		return nil, nil, err
	}
	return body, conn, nil
}

// exchange sends a request without a body and reads the answer.
func exchange(conn net.Conn, method, path string) ([]byte, error) {
	req, err := http.NewRequest(method, "http://boo"+path, nil)
	if err != nil {
		return nil, fmt.Errorf("ask the daemon: %w", err)
	}
	err = req.Write(conn)
	var resp *http.Response
	if err == nil {
		resp, err = http.ReadResponse(bufio.NewReader(conn), req)
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return nil, errAbsent // or about to be
	case err != nil:
		return nil, fmt.Errorf("ask the daemon: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	if resp.StatusCode < http.StatusBadRequest {
		return body, nil
	}
	var r refusal
	if err := json.Unmarshal(body, &r); err != nil || r.Error == nil {
		return nil, fmt.Errorf("ask the daemon: it answered %s", resp.Status)
	}
	return nil, r.Error.err()
}

// kept is a connection over which nothing is under way. It may be used concurrently.
type kept struct {
	mu   sync.Mutex
	conn net.Conn // nil without one
}

// keep puts a connection in the place of the one before.
func (k *kept) keep(conn net.Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn != nil {
		_ = k.conn.Close()
	}
	k.conn = conn
}

// take hands the connection over; nil without one, or if the other side is gone.
func (k *kept) take() net.Conn {
	k.mu.Lock()
	defer k.mu.Unlock()
	conn := k.conn
	k.conn = nil
	if conn != nil && !quiet(conn) {
		_ = conn.Close()
		return nil
	}
	return conn
}

// quiet reports whether the other side of a connection is there and says nothing.
func quiet(conn net.Conn) bool {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Read(func(fd uintptr) bool {
		_, _, err = unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
		return true
	})
	return errors.Is(err, unix.EAGAIN)
}
