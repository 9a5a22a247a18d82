package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// The ways in which there is nothing to read.
var (
	ErrNotFound = errors.New("object not found")
	ErrKind     = errors.New("object is of another kind")
	ErrTooLarge = errors.New("object is too large")
)

// maxHeld bounds the trees and commits that are read into memory. A tree of a
// million files is half of it.
const maxHeld = 64 << 20

// Process is a running "git cat-file --batch-command" of the repository. One
// goroutine uses it.
type Process interface {
	// Ask writes a request and returns the line that answers it, without its end.
	Ask(request []byte) (string, error)
	// Read reads what follows that line.
	Read(p []byte) (int, error)
	// Close ends the input and waits for the process to end.
	Close() error
}

// Options of a reader.
type Options struct {
	CommonDir orchestrator.GitDir
	Format    objectid.Format
	// Start starts a process, which ends when ctx does.
	Start func(ctx context.Context) (Process, error)
	// GitOnly leaves every read to git: for a few of many objects it is the
	// faster one.
	GitOnly bool
	// Helpers is how many processes there may be, each started when it is
	// needed; 0 means 2.
	Helpers int
}

// Reader reads the objects of one repository. Its methods may be called
// concurrently, but not with or after Close.
type Reader struct {
	store    *store
	stored   *stored
	requests chan request
	cancel   context.CancelFunc
	helpers  sync.WaitGroup
}

// Open returns a reader. Nothing is read or started yet.
func Open(opts Options) *Reader {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Reader{store: newStore(opts), stored: newStored(opts), requests: make(chan request), cancel: cancel}
	if opts.Helpers == 0 {
		opts.Helpers = 2
	}
	for range opts.Helpers {
		r.helpers.Go(func() { serve(ctx, opts.Start, r.requests) })
	}
	return r
}

// Close ends the reader: its processes are gone when it returns.
func (r *Reader) Close() error {
	close(r.requests)
	r.helpers.Wait()
	r.cancel()
	r.stored.close()
	return r.store.close()
}

// Tree returns the content of a tree.
func (r *Reader) Tree(ctx context.Context, id orchestrator.ObjectID) ([]byte, error) {
	return r.held(ctx, id, objectid.Tree)
}

// Commit is what boo needs of a commit.
type Commit struct {
	Tree    orchestrator.ObjectID
	Parents []orchestrator.ObjectID
}

// Commit reads a commit.
func (r *Reader) Commit(ctx context.Context, id orchestrator.ObjectID) (Commit, error) {
	content, err := r.held(ctx, id, objectid.Commit)
	if err != nil {
		return Commit{}, err
	}
	c, err := parseCommit(content)
	if err != nil {
		return Commit{}, fmt.Errorf("read commit %s: %w", id, err)
	}
	return c, nil
}

// held reads an object into memory.
func (r *Reader) held(ctx context.Context, id orchestrator.ObjectID, kind objectid.Kind) ([]byte, error) {
	if content, ok := r.store.read(ctx, id, kind); ok {
		return content, nil
	}
	var content []byte
	err := r.contents(ctx, id, kind, func(size int64, body io.Reader) error {
		if size > maxHeld {
			return ErrTooLarge
		}
		content = make([]byte, size)
		_, err := io.ReadFull(body, content)
		return err
	})
	return content, err
}

// Blob copies the content of a blob to w. On an error w may have got a part.
func (r *Reader) Blob(ctx context.Context, id orchestrator.ObjectID, w io.Writer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	found, err := r.stored.blob(id, func(content []byte) error {
		_, err := w.Write(content)
		return err
	})
	if found {
		return err
	}
	return r.contents(ctx, id, objectid.Blob, func(size int64, body io.Reader) error {
		_, err := io.CopyN(w, body, size)
		return err
	})
}

// Bytes returns the content of a blob of at most limit bytes; a larger one is
// [ErrTooLarge].
func (r *Reader) Bytes(ctx context.Context, id orchestrator.ObjectID, limit int64) ([]byte, error) {
	var buf bytes.Buffer
	err := r.contents(ctx, id, objectid.Blob, func(size int64, body io.Reader) error {
		if size > limit {
			return ErrTooLarge
		}
		buf.Grow(int(size))
		_, err := io.CopyN(&buf, body, size)
		return err
	})
	return buf.Bytes(), err
}

// Info returns the kind of an object and the length of its content in bytes.
func (r *Reader) Info(ctx context.Context, id orchestrator.ObjectID) (objectid.Kind, int64, error) {
	var kind objectid.Kind
	var size int64
	err := r.ask(ctx, request{command: "info", id: id, answer: func(k objectid.Kind, n int64, _ io.Reader) error {
		kind, size = k, n
		return nil
	}})
	return kind, size, err
}

// Has reports whether the repository has an object.
func (r *Reader) Has(ctx context.Context, id orchestrator.ObjectID) (bool, error) {
	if r.store.has(ctx, id) {
		return true, nil
	}
	_, _, err := r.Info(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// contents asks git for an object of that kind.
func (r *Reader) contents(ctx context.Context, id orchestrator.ObjectID, want objectid.Kind, use func(size int64, body io.Reader) error) error {
	return r.ask(ctx, request{command: "contents", id: id, answer: func(kind objectid.Kind, size int64, body io.Reader) error {
		if kind != want {
			return fmt.Errorf("%w: a %s, not a %s", ErrKind, kind, want)
		}
		return use(size, body)
	}})
}

// ask hands a request to a helper and waits for it. Once a helper has it, the
// wait ends with the helper, since that one uses what the caller gave.
func (r *Reader) ask(ctx context.Context, req request) error {
	if _, err := orchestrator.ParseObjectID(string(req.id)); err != nil {
		return err
	}
	req.ctx, req.done = ctx, make(chan error, 1)
	select {
	case r.requests <- req:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := <-req.done; err != nil {
		return fmt.Errorf("read object %s: %w", req.id, err)
	}
	return nil
}
