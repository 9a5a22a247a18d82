// Package inbox takes messages from a named pipe, each ended by a NUL: any
// program of the person's can write to it, and none has to know another.
//
// It promises that a message is handed out once, whole, and in the order of
// writing; that what was written, but not handed out, when the box is closed is
// there when it is opened again; and that a message which is too long is dropped
// and said, not cut. What the writers have not written when the process dies
// without closing the box waits for the next one; what they have, is lost.
//
//	writers ──▶ pipe ──▶ read ahead ──▶ Next
//	                        ▲  │ Close
//	                   Open │  ▼
//	                     <path>.part
//
// It refuses to know what the messages are for. It fails with orchestrator.Error
// where the pipe is not the person's alone.
package inbox

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// ErrTooLong says that a message was longer than the limit, and was dropped.
var ErrTooLong = errors.New("a message is too long, and was dropped")

// Inbox is an open pipe. One goroutine uses it.
type Inbox struct {
	pipe     *os.File
	path     string
	limit    int
	ahead    []byte // read, and not handed out
	dropping bool   // up to the next end
}

// Open opens the pipe at path, and makes it, for nobody else to use, if it is not
// there. CodeDenied if something else is there, or others may use it.
func Open(path string, limit int) (*Inbox, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, denied(path, err)
	}
	if err := unix.Mkfifo(path, 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, denied(path, err)
	}
	// For writing too: the pipe then outlives each of its writers.
	pipe, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, denied(path, err)
	}
	info, err := pipe.Stat()
	if err == nil {
		err = owned(info)
	}
	b := &Inbox{pipe: pipe, path: path, limit: limit}
	if err == nil {
		b.ahead, err = os.ReadFile(b.part())
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		} else if err == nil {
			err = os.Remove(b.part())
		}
	}
	if err != nil {
		return nil, errors.Join(denied(path, err), pipe.Close())
	}
	return b, nil
}

func owned(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode().Type() != fs.ModeNamedPipe:
		return errors.New("it is no pipe")
	case !ok || int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0:
		return errors.New("others may use it")
	}
	return nil
}

func denied(path string, err error) error {
	return orchestrator.Errorf(orchestrator.CodeDenied, "open the pipe %s: %w", path, err)
}

// part is where waits what was read ahead.
func (b *Inbox) part() string { return b.path + ".part" }

// Next returns the next message, without its end; [ErrTooLong], after which it
// can be called again; or the cause of ctx's end.
func (b *Inbox) Next(ctx context.Context) (string, error) {
	// A deadline that has passed ends a read; what it would have read stays.
	set := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(set)
		_ = b.pipe.SetReadDeadline(time.Unix(1, 0))
	})
	defer func() {
		if !stop() {
			<-set // else it could come in the way of Close
		}
	}()
	for ctx.Err() == nil {
		message, whole := b.take()
		switch {
		case whole && len(message) <= b.limit:
			return string(message), nil
		case whole || len(b.ahead) > b.limit:
			if !whole {
				b.ahead, b.dropping = nil, true
			}
			return "", ErrTooLong
		}
		if err := b.read(); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return "", denied(b.path, err)
		}
	}
	return "", context.Cause(ctx)
}

// take takes the first whole message from what was read ahead, past the rest of
// one that is dropped.
func (b *Inbox) take() (message []byte, whole bool) {
	for {
		message, rest, whole := bytes.Cut(b.ahead, []byte{0})
		if !whole {
			if b.dropping {
				b.ahead = nil
			}
			return nil, false
		}
		b.ahead = rest
		if !b.dropping {
			return message, true
		}
		b.dropping = false
	}
}

func (b *Inbox) read() error {
	chunk := make([]byte, 64<<10)
	n, err := b.pipe.Read(chunk)
	b.ahead = append(b.ahead, chunk[:n]...)
	return err
}

// settleTime is how long a box that is closed waits for what is being written.
const settleTime = 50 * time.Millisecond

// Close closes the pipe and keeps, on disk on return, what was not handed out,
// and before it the messages in back.
func (b *Inbox) Close(back ...string) error {
	_ = b.pipe.SetReadDeadline(time.Now().Add(settleTime))
	for b.read() == nil {
		continue // to the end of what is there
	}
	var kept []byte
	for _, message := range back {
		kept = append(append(kept, message...), 0)
	}
	kept = append(kept, b.ahead...)
	err := b.pipe.Close()
	if len(kept) == 0 {
		return err
	}
	return errors.Join(err, b.keep(kept))
}

func (b *Inbox) keep(text []byte) error {
	draft, err := os.CreateTemp(filepath.Dir(b.path), ".part-*") // for its owner alone
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	_, err = draft.Write(text)
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	return os.Rename(draft.Name(), b.part())
}
