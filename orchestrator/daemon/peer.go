package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// peer says which process a connection leads to, as the kernel knows it: who
// connected, or who listened.
func peer(conn net.Conn) (*unix.Ucred, error) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("find out whose a connection is: it is a %T", conn)
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("find out whose a connection is: %w", err)
	}
	var cred *unix.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) { cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err := errors.Join(err, credErr); err != nil {
		return nil, fmt.Errorf("find out whose a connection is: %w", err)
	}
	return cred, nil
}

func sameUser(cred *unix.Ucred, uid int) error {
	if int(cred.Uid) != uid {
		return fmt.Errorf("process %d is of user %d, and you are user %d", cred.Pid, cred.Uid, uid)
	}
	return nil
}

// gate is a listener that lets only the daemon's own user in.
type gate struct {
	*net.UnixListener
	log    *slog.Logger
	mu     sync.Mutex
	warned map[uint32]bool // users whose attempt was logged
}

// Accept returns the next connection of the daemon's user.
func (g *gate) Accept() (net.Conn, error) {
	for {
		conn, err := g.UnixListener.Accept()
		if err != nil {
			return nil, err
		}
		cred, err := peer(conn)
		if err == nil {
			if err = sameUser(cred, os.Geteuid()); err == nil {
				return conn, nil
			}
			g.warn(cred)
		}
		_ = conn.Close()
	}
}

func (g *gate) warn(cred *unix.Ucred) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.warned[cred.Uid] {
		g.warned[cred.Uid] = true
		g.log.Warn("refused a connection of another user", "uid", cred.Uid, "pid", cred.Pid)
	}
}

// caller is what was found out about who connected, when they did.
type caller struct {
	agent bool // it runs inside of an agent of this daemon
	err   error
}

type callerKey struct{}

// withCaller finds out, once for each connection, whether it comes from an
// agent; inside says so of a process.
func withCaller(inside func(pid int) (bool, error)) func(context.Context, net.Conn) context.Context {
	return func(ctx context.Context, conn net.Conn) context.Context {
		var c caller
		cred, err := peer(conn)
		if err == nil {
			c.agent, err = inside(int(cred.Pid))
		}
		c.err = err
		return context.WithValue(ctx, callerKey{}, c)
	}
}

// withoutAgents keeps agents from commanding the daemon that runs them. What
// cannot be found out is refused.
func withoutAgents(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, known := r.Context().Value(callerKey{}).(caller)
		switch {
		case !known || c.err != nil:
			reply(w, http.StatusForbidden, orchestrator.Errorf(orchestrator.CodeDenied, "the daemon could not find out who asks: %w; nothing was done", c.err))
		case c.agent:
			reply(w, http.StatusForbidden, orchestrator.Errorf(orchestrator.CodeDenied, "an agent may not command the daemon that runs it; nothing was done"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}
