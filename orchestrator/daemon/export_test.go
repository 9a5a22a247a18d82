package daemon

import "net"

// CheckPeer reports nil if a connection leads to a process of the user.
func CheckPeer(conn net.Conn, uid int) error {
	cred, err := peer(conn)
	if err != nil {
		return err
	}
	return sameUser(cred, uid)
}
