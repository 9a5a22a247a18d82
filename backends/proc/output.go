package proc

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// output is the reading end of a pipe that the tree writes to. It closes
// itself when it has been read to its end.
type output struct{ file *os.File }

// Read reads as [io.Reader] says. After settle it ends where the pipe is
// empty, even if somebody still holds the other end.
func (o output) Read(buf []byte) (int, error) {
	n, err := o.file.Read(buf)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		n, err = o.rest(buf)
	}
	if errors.Is(err, os.ErrClosed) {
		return 0, io.EOF
	}
	if err != nil {
		_ = o.file.Close()
	}
	return n, err
}

// settle says that the tree is gone: what is in the pipe now is all there is.
func (o output) settle() { _ = o.file.SetReadDeadline(time.Unix(1, 0)) }

// rest reads what is in the pipe, and never waits.
func (o output) rest(buf []byte) (n int, err error) {
	conn, err := o.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	// Control, since Read would look at the deadline first.
	failed := conn.Control(func(fd uintptr) { n, err = unix.Read(int(fd), buf) })
	if failed != nil {
		return 0, failed
	}
	if err != nil || n <= 0 {
		return 0, io.EOF
	}
	return n, nil
}

// tailSize is how much of standard error is kept, in bytes.
const tailSize = 4 << 10

// tail keeps the last bytes written to it. It may be used concurrently.
type tail struct {
	mu   sync.Mutex
	last []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b[max(0, len(b)-tailSize):]...)
	t.last = append(t.last[:0], t.last[max(0, len(t.last)-tailSize):]...)
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}
