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

	"golang.org/x/term"
)

// CtrlC is the byte that Ctrl-C sends in raw mode.
const CtrlC = 3

// Key waits for one of keys on the controlling terminal and returns it; other
// input is dropped, what was typed before the question too. [CtrlC] is
// always one of the keys. It ends with ctx; the terminal is then as
// it was before.
func Key(ctx context.Context, keys string) (byte, error) {
	// A description of our own: non-blocking mode and deadlines stay off the
	// standard streams, which the person's shell shares.
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return 0, fmt.Errorf("open the terminal: %w", err)
	}
	defer f.Close()
	restore, err := rawMode(f)
	if err != nil {
		return 0, err
	}
	defer restore()
	if err := drain(f); err != nil {
		return 0, err
	}
	buf := make([]byte, 64)
	for ctx.Err() == nil {
		// Short waits, so that the end of ctx is seen without another goroutine.
		_ = f.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		n, err := f.Read(buf)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
		case err != nil:
			return 0, fmt.Errorf("read a key: %w", err)
		case n == 1 && (buf[0] == CtrlC || strings.IndexByte(keys, buf[0]) >= 0):
			return buf[0], nil // pasted text and function keys are longer, and answer nothing
		}
	}
	return 0, context.Cause(ctx)
}

// drain drops what was typed before there was a question.
func drain(f *os.File) error {
	if err := f.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		return fmt.Errorf("set up the terminal: %w", err)
	}
	buf := make([]byte, 256)
	for {
		if _, err := f.Read(buf); err != nil {
			return nil
		}
	}
}

func rawMode(f *os.File) (restore func(), err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("set up the terminal: %w", err)
	}
	var old *term.State
	var rawErr error
	err = conn.Control(func(fd uintptr) { old, rawErr = term.MakeRaw(int(fd)) })
	if err := errors.Join(err, rawErr); err != nil {
		return nil, fmt.Errorf("set up the terminal: %w", err)
	}
	return func() { _ = conn.Control(func(fd uintptr) { _ = term.Restore(int(fd), old) }) }, nil
}

func itoa(n int) string { return strconv.Itoa(n) }
