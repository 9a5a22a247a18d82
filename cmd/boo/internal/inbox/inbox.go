// Package inbox takes messages from a named pipe, each ended by a NUL: any
// program of the person's can write to it, and none has to know another.
//
// It promises that messages are handed out whole and in the order of writing, each
// until it is settled, and under one key, however often the process ends and
// however: what was read is in a file beside the pipe. A message that is too long
// is dropped and said, not cut. Only what a writer has written, and nobody has read
// yet when the process is killed, is lost: it is read at once, whatever becomes of
// the messages before.
//
//	writers ──▶ pipe ──▶ <path>.part ──▶ Next ──▶ Settle
//	                          ▲                │
//	                          ╰── killed ──────╯
//
// It refuses to know what the messages are for. It fails with orchestrator.Error
// where the pipe is not the person's alone.
package inbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// ErrTooLong says that a message was longer than the limit, and was dropped.
var ErrTooLong = errors.New("a message is too long, and was dropped")

// Message is what somebody wrote.
type Message struct {
	Text string
	// Key is the message's own: it has the same one when it is handed out again.
	Key string
}

// Inbox is an open pipe. A goroutine of its own reads it until Close; one other
// uses it.
type Inbox struct {
	pipe  *os.File
	path  string
	limit int
	over  chan struct{} // closed when the reader has ended

	mu      sync.Mutex
	news    *sync.Cond // there is more, or more room
	journal journal
	ahead   []byte // read, and not settled
	handed  int    // how many of these are the message that was handed out last
	closing bool
	err     error // that ended the reading
}

// Open opens the pipe at path, and makes it, for nobody else to use, if it is not
// there; its directory has to be. CodeDenied if something else is there, or others
// may use it.
func Open(path string, limit int) (*Inbox, error) {
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
	b := &Inbox{pipe: pipe, path: path, limit: limit, over: make(chan struct{})}
	b.news = sync.NewCond(&b.mu)
	if err == nil {
		b.journal, b.ahead, err = openJournal(b.part())
	}
	if err != nil {
		return nil, errors.Join(denied(path, err), pipe.Close())
	}
	go b.read() // ended and waited for by Close
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
	hint := orchestrator.HintOf(err)
	return orchestrator.Errorf(orchestrator.CodeDenied, "open the pipe %s: %w", path, err).WithHint("%s", hint)
}

// part is where waits what was read ahead.
func (b *Inbox) part() string { return b.path + ".part" }

// mostAhead bounds how much is read ahead, in messages of the largest size.
const mostAhead = 8

// read takes what is written, and puts it into the journal, until the pipe's
// deadline passes.
func (b *Inbox) read() {
	defer close(b.over)
	chunk := make([]byte, 64<<10)
	for {
		n, err := b.pipe.Read(chunk)
		b.mu.Lock()
		if n > 0 {
			err = errors.Join(err, b.journal.add(chunk[:n]))
			b.ahead = append(b.ahead, chunk[:n]...)
		}
		b.err = err
		b.news.Broadcast()
		for len(b.ahead) > mostAhead*b.limit && !b.closing {
			b.news.Wait()
		}
		b.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Next returns the first message that is not settled; [ErrTooLong], after which it
// can be called again; or the cause of ctx's end.
func (b *Inbox) Next(ctx context.Context) (Message, error) {
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.news.Broadcast()
	})
	defer stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	for ctx.Err() == nil {
		if err := b.drop(); err != nil {
			return Message{}, denied(b.path, err)
		}
		text, _, whole := bytes.Cut(b.ahead, []byte{0})
		switch {
		case b.journal.dropping:
		case len(text) > b.limit:
			b.journal.dropping = true
			if err := b.drop(); err != nil {
				return Message{}, denied(b.path, err)
			}
			return Message{}, ErrTooLong
		case whole:
			b.handed = len(text) + 1
			return Message{Text: string(text), Key: fmt.Sprintf("in-%s-%d", b.journal.id, b.journal.settled)}, nil
		}
		if b.err != nil {
			return Message{}, denied(b.path, b.err)
		}
		b.news.Wait()
	}
	return Message{}, context.Cause(ctx)
}

// drop settles what is there of a message that was too long. b.mu is held.
func (b *Inbox) drop() error {
	if !b.journal.dropping || len(b.ahead) == 0 {
		return nil
	}
	text, _, whole := bytes.Cut(b.ahead, []byte{0})
	b.journal.dropping = !whole
	if whole {
		return b.settle(len(text) + 1)
	}
	return b.settle(len(text))
}

// Settle says that the message which was handed out last need not be handed out
// again.
func (b *Inbox) Settle() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.handed
	if b.handed = 0; n == 0 {
		return nil
	}
	if err := b.settle(n); err != nil {
		return denied(b.path, err)
	}
	return nil
}

func (b *Inbox) settle(n int) error {
	b.ahead = b.ahead[n:]
	b.news.Broadcast()
	return b.journal.settle(n, len(b.ahead) == 0)
}

// settleTime is how long a box that is closed waits for what is being written.
const settleTime = 50 * time.Millisecond

// Close closes the pipe and keeps, on disk on return, what is not settled.
func (b *Inbox) Close() error {
	b.mu.Lock()
	b.closing = true
	b.news.Broadcast()
	b.mu.Unlock()
	_ = b.pipe.SetReadDeadline(time.Now().Add(settleTime))
	<-b.over
	return errors.Join(b.pipe.Close(), b.journal.close(len(b.ahead) == 0))
}
