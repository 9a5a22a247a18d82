package daemon

import (
	"net"
	"net/http"
	"time"
)

// CheckPeer reports nil if a connection leads to a process of the user.
func CheckPeer(conn net.Conn, uid int) error {
	cred, err := peer(conn)
	if err != nil {
		return err
	}
	return sameUser(cred, uid)
}

// FailedSince is what who waits for a start since then is told of it.
func (c *Client) FailedSince(began time.Time) error { return c.failedSince(began) }

// Exchange asks the daemon at the end of a connection about itself.
func Exchange(conn net.Conn) ([]byte, error) { return exchange(conn, http.MethodGet, infoPath) }
