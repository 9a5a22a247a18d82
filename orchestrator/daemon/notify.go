package daemon

import (
	"context"
	"net"
	"strconv"
	"sync"
	"time"
)

// notifier tells a service manager how the daemon does, in the words of
// sd_notify(3). Without one it does nothing.
type notifier struct {
	conn *net.UnixConn // nil without a manager
	end  context.CancelFunc
	beat sync.WaitGroup
}

// notifyReady tells the manager that getenv names that the daemon is ready, and from
// then on shows it signs of life if it asks for them, at half of the interval that it
// allows.
func notifyReady(getenv func(string) string) *notifier {
	n := &notifier{end: func() {}}
	name := getenv("NOTIFY_SOCKET")
	if name == "" {
		return n
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return n
	}
	n.conn = conn
	n.tell("READY=1")
	micros, err := strconv.Atoi(getenv("WATCHDOG_USEC"))
	if err != nil || micros <= 0 {
		return n
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.end = cancel
	n.beat.Go(func() {
		tick := time.NewTicker(time.Duration(micros) * time.Microsecond / 2)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				n.tell("WATCHDOG=1")
			case <-ctx.Done():
				return
			}
		}
	})
	return n
}

// tell passes a state on. That it was not heard changes nothing.
func (n *notifier) tell(state string) {
	if n.conn != nil {
		_, _ = n.conn.Write([]byte(state))
	}
}

func (n *notifier) close() {
	n.end()
	n.beat.Wait()
	if n.conn != nil {
		_ = n.conn.Close()
	}
}
