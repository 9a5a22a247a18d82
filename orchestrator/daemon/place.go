package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// The name of the lock that the daemon holds for life, of the one that is held
// while a daemon is started, and of the socket.
const (
	lifeLock   = "daemon"
	startLock  = "daemon-start"
	socketName = "socket"
)

// Place says where the daemon of a data directory is found: its locks and its
// socket lie in the data directory, so whoever shares that finds one daemon.
type Place struct {
	Data string // the data directory, absolute
	Log  string // file that a daemon in the background talks to, absolute
}

// Socket is the path of the socket.
func (p Place) Socket() string { return filepath.Join(p.dir(), socketName) }

func (p Place) dir() string { return filepath.Join(p.Data, "daemon") }

func (p Place) locks() (*Locks, error) { return NewLocks(filepath.Join(p.Data, "locks")) }

// open opens the socket's directory, and refuses one that is a symbolic link,
// or that anybody else owns or may enter. What is done through the descriptor
// happens in that very directory, whatever becomes of its path.
func (p Place) open() (*os.File, error) {
	f, err := os.OpenFile(p.dir(), unix.O_PATH|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, p.unsafe(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = ownedAlone(info, os.Geteuid())
	}
	if err != nil {
		_ = f.Close()
		return nil, p.unsafe(err)
	}
	return f, nil
}

// ownedAlone reports nil if a file is of uid and closed to everybody else.
func ownedAlone(info fs.FileInfo, uid int) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return fmt.Errorf("its owner cannot be found out")
	case int(stat.Uid) != uid:
		return fmt.Errorf("it belongs to user %d, and you are user %d", stat.Uid, uid)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("others may enter it (mode %o)", info.Mode().Perm())
	}
	return nil
}

func (p Place) unsafe(err error) error {
	return orchestrator.Errorf(orchestrator.CodeDenied, "boo keeps its socket in a directory of yours alone, and %s is none: %w", p.dir(), err).
		WithHint("mv %s %s.other", p.dir(), p.dir())
}

// through is the path of the socket by way of its open directory. It is short,
// where a socket's own path may have 107 bytes and no more.
func through(dir *os.File) string { return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), socketName) }

// listen makes the socket. The caller holds the daemon's lock, so a socket that
// is there already is what a dead daemon left.
func (p Place) listen() (*net.UnixListener, error) {
	if err := os.Mkdir(p.dir(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, refused(p.Data, err)
	}
	dir, err := p.open()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	at := through(dir)
	switch info, err := os.Lstat(at); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, p.unsafe(err)
	case info.Mode().Type() != fs.ModeSocket:
		return nil, p.unsafe(fmt.Errorf("%s is not a socket", p.Socket()))
	default:
		if err := os.Remove(at); err != nil {
			return nil, p.unsafe(err)
		}
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"})
	if err != nil {
		return nil, orchestrator.Errorf(orchestrator.CodeDenied, "make the socket %s: %w", p.Socket(), err)
	}
	listener.SetUnlinkOnClose(false) // its path is gone with the descriptor
	// Nobody else can come near it meanwhile: the directory is closed to them.
	if err := os.Chmod(at, 0o600); err != nil {
		return nil, errors.Join(p.unsafe(err), listener.Close())
	}
	return listener, nil
}

// errAbsent says that no daemon listens.
var errAbsent = errors.New("no daemon is running")

// dial connects with the daemon, whose process has to be of the same user.
func (p Place) dial(ctx context.Context) (net.Conn, error) {
	dir, err := p.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errAbsent
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", through(dir))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, errAbsent
	case err != nil:
		return nil, fmt.Errorf("connect with the daemon at %s: %w", p.Socket(), err)
	}
	cred, err := peer(conn)
	if err == nil {
		err = sameUser(cred, os.Geteuid())
	}
	if err != nil {
		_ = conn.Close()
		return nil, orchestrator.Errorf(orchestrator.CodeDenied, "what listens at %s is not your daemon: %w; nothing was sent to it", p.Socket(), err).
			WithHint("rm %s", p.Socket())
	}
	return conn, nil
}
