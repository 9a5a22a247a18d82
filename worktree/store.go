package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"boo/orchestrator"
	"boo/worktree/internal/objects"
	"boo/worktree/internal/pack"
	"boo/worktree/internal/pack/objectid"
)

// store reads a repository's objects through one git process, and gathers new
// ones in a pack. Its methods may be called concurrently, but not with close.
type store struct {
	format objectid.Format
	dir    string // of packs
	reader *objects.Reader
	many   func() *objects.Reader // for many at once
	made   func(pack string)

	mu    sync.Mutex
	pack  *pack.Writer
	fresh map[orchestrator.ObjectID]bool // in the pack, where git does not see them yet
}

func (e *Engine) openStore(common orchestrator.GitDir, like orchestrator.ObjectID, format objectid.Format) (*store, error) {
	r, err := e.plain(common, like)
	if err != nil {
		return nil, err
	}
	s := &store{format: format, dir: filepath.Join(r.objects, "pack"), fresh: map[orchestrator.ObjectID]bool{}}
	s.many = func() *objects.Reader { return e.objects(r, format) }
	s.made = func(pack string) { e.mark(common, pack) }
	s.reader = objects.Open(objects.Options{
		CommonDir: common, Format: format, Helpers: 1, GitOnly: true,
		Start: func(ctx context.Context) (objects.Process, error) {
			return e.git.Open(ctx, r.call("cat-file", "--batch-command"))
		},
	})
	return s, nil
}

// close ends the process, and drops what was not flushed.
func (s *store) close() error {
	err := s.reader.Close()
	if s.pack != nil {
		err = errors.Join(err, s.pack.Close())
	}
	return err
}

// flush makes what was added visible, and durable.
func (s *store) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pack == nil {
		return nil
	}
	_, err := s.pack.Commit()
	err = errors.Join(err, s.pack.Close())
	s.pack = nil
	clear(s.fresh)
	return err
}

// seen makes sure that git sees an object that is about to be read.
func (s *store) seen(id orchestrator.ObjectID) error {
	s.mu.Lock()
	fresh := s.fresh[id]
	s.mu.Unlock()
	if !fresh {
		return nil
	}
	return s.flush()
}

// tree reads a tree, or that of a commit.
func (s *store) tree(ctx context.Context, id orchestrator.ObjectID) ([]byte, error) {
	if err := s.seen(id); err != nil {
		return nil, err
	}
	content, err := s.reader.Tree(ctx, id)
	if !errors.Is(err, objects.ErrKind) {
		return content, err
	}
	commit, err := s.reader.Commit(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.reader.Tree(ctx, commit.Tree)
}

func (s *store) blob(ctx context.Context, id orchestrator.ObjectID, w io.Writer) error {
	if err := s.seen(id); err != nil {
		return err
	}
	return s.reader.Blob(ctx, id, w)
}

// ahead is how many blobs make it worth to open the packs that they are in.
const ahead = 16

// copy writes blobs, each to what open returns for its position; that is called
// for several at once.
func (s *store) copy(ctx context.Context, ids []orchestrator.ObjectID, open func(int) (io.WriteCloser, error)) (err error) {
	read := s.blob
	if len(ids) >= ahead {
		if err := s.flush(); err != nil {
			return err
		}
		many := s.many()
		defer func() { err = errors.Join(err, many.Close()) }()
		read = many.Blob
	}
	return inParts(len(ids), func(from, to int) error {
		for i := from; i < to; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			w, err := open(i)
			if err != nil {
				return err
			}
			if err := errors.Join(read(ctx, ids[i], w), w.Close()); err != nil {
				return err
			}
		}
		return nil
	})
}

// errNoFile says that an object is no blob, or too large.
var errNoFile = errors.New("not a file, or too large a one")

// bytes reads a blob of at most limit bytes; "" has none. What is no such blob
// is errNoFile.
func (s *store) bytes(ctx context.Context, id orchestrator.ObjectID, limit int64) ([]byte, error) {
	if id == "" {
		return nil, nil
	}
	if err := s.seen(id); err != nil {
		return nil, err
	}
	content, err := s.reader.Bytes(ctx, id, limit)
	if errors.Is(err, objects.ErrKind) || errors.Is(err, objects.ErrTooLarge) {
		return nil, fmt.Errorf("%w: %w", errNoFile, err)
	}
	return content, err
}

// put adds an object.
func (s *store) put(kind objectid.Kind, content []byte) (orchestrator.ObjectID, error) {
	return s.add(func(w *pack.Writer) (orchestrator.ObjectID, error) { return w.Add(kind, content) })
}

// putBlob adds a blob of size bytes.
func (s *store) putBlob(r io.Reader, size int64) (orchestrator.ObjectID, error) {
	return s.add(func(w *pack.Writer) (orchestrator.ObjectID, error) { return w.AddBlob(r, size) })
}

func (s *store) add(with func(*pack.Writer) (orchestrator.ObjectID, error)) (orchestrator.ObjectID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pack == nil {
		s.pack = pack.New(s.dir, pack.Options{Format: s.format, Keep: keepAtWork, Made: s.made})
	}
	id, err := with(s.pack)
	if err == nil {
		s.fresh[id] = true
	}
	return id, err
}
