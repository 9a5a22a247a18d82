package tty

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// CtrlC is the byte that Ctrl-C sends in raw mode.
const CtrlC = 3

// Key waits for one of keys on the controlling terminal and returns it; other
// input is dropped, what was typed before the question too. ask shows the
// question, once the terminal listens, so that no answer to it can be lost.
// [CtrlC] is always one of the keys. It ends with ctx; the terminal is then as
// it was before. On an error the question may not have been shown.
func Key(ctx context.Context, keys string, ask func()) (byte, error) {
	// A description of our own: non-blocking mode and deadlines stay off the
	// standard streams, which the person's shell shares.
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return 0, fmt.Errorf("open the terminal: %w", err)
	}
	defer f.Close()
	restore, err := listen(f)
	if err != nil {
		return 0, err
	}
	defer restore()
	ask()
	buf := make([]byte, 64)
	for ctx.Err() == nil {
		// Short waits, so that the end of ctx is seen without another goroutine.
		_ = f.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		n, err := f.Read(buf)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
		case err != nil:
			return 0, fmt.Errorf("read a key: %w", err)
		case pressed(buf[:n]) && (buf[0] == CtrlC || strings.IndexByte(keys, buf[0]) >= 0):
			return buf[0], nil
		}
	}
	return 0, context.Cause(ctx)
}

// pressed reports whether what was read at once is one key, or one and the line
// end of a person, or a program, that is used to lines. Pasted text and function
// keys are longer, and answer nothing.
func pressed(read []byte) bool {
	return len(read) == 1 || len(read) == 2 && (read[1] == '\r' || read[1] == '\n')
}

// listen drops what was typed before, and has the terminal tell of each key. What
// is written to it looks as before.
func listen(f *os.File) (restore func(), err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("set up the terminal: %w", err)
	}
	var old *term.State
	var rawErr error
	err = conn.Control(func(fd uintptr) {
		if old, rawErr = term.MakeRaw(int(fd)); rawErr != nil {
			return
		}
		var raw *unix.Termios
		if raw, rawErr = unix.IoctlGetTermios(int(fd), unix.TCGETS); rawErr != nil {
			return
		}
		raw.Oflag |= unix.OPOST // or lines would begin where the last one ended
		rawErr = unix.IoctlSetTermios(int(fd), unix.TCSETSF, raw)
	})
	restore = func() { _ = conn.Control(func(fd uintptr) { _ = term.Restore(int(fd), old) }) }
	if err := errors.Join(err, rawErr); err != nil {
		if old != nil {
			restore()
		}
		return nil, fmt.Errorf("set up the terminal: %w", err)
	}
	return restore, nil
}

func itoa(n int) string { return strconv.Itoa(n) }
