package objects

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// maxIndexes bounds the pack indexes that go-git is let to load: it holds them
// whole. It is a repository of about two million objects.
const maxIndexes = 64 << 20

// cacheSize is what go-git may keep of objects.
const cacheSize = 8 * cache.MiByte

// store reads objects in process where that works, and leaves the rest, and
// whatever it does not find, to git. go-git's storage is used by one goroutine
// at a time.
type store struct {
	dir    string
	format objectid.Format
	turn   chan *filesystem.ObjectStorage // holds the storage while nobody reads; nil: not opened
	usable bool                           // owned by whose turn it is
}

func newStore(opts Options) *store {
	s := &store{dir: string(opts.CommonDir), format: opts.Format, turn: make(chan *filesystem.ObjectStorage, 1), usable: !opts.GitOnly}
	s.turn <- nil
	return s
}

// read returns an object of that kind, and false when git has to be asked.
func (s *store) read(ctx context.Context, id orchestrator.ObjectID, kind objectid.Kind) (content []byte, ok bool) {
	s.use(ctx, id, func(storage *filesystem.ObjectStorage, hash plumbing.Hash) error {
		object, err := storage.EncodedObject(plumbing.ObjectType(kind), hash)
		if err != nil {
			return err
		}
		if object.Size() > maxHeld {
			return ErrTooLarge
		}
		r, err := object.Reader()
		if err != nil {
			return err
		}
		defer r.Close()
		content, err = io.ReadAll(r)
		ok = err == nil && int64(len(content)) == object.Size()
		return err
	})
	return content, ok
}

// has reports whether the object is known to be there.
func (s *store) has(ctx context.Context, id orchestrator.ObjectID) (found bool) {
	s.use(ctx, id, func(storage *filesystem.ObjectStorage, hash plumbing.Hash) error {
		err := storage.HasEncodedObject(hash)
		found = err == nil
		return err
	})
	return found
}

// use calls job with the storage, if there is one to use. Its errors all come
// to the same: git is asked.
func (s *store) use(ctx context.Context, id orchestrator.ObjectID, job func(*filesystem.ObjectStorage, plumbing.Hash) error) {
	if s.format != objectid.SHA1 || len(id) != 2*objectid.SHA1.Size() {
		return
	}
	var storage *filesystem.ObjectStorage
	select {
	case storage = <-s.turn:
	case <-ctx.Done():
		return
	}
	if storage == nil && s.usable {
		storage = s.open()
		s.usable = storage != nil
	}
	if storage != nil && panics(func() { _ = job(storage, plumbing.NewHash(string(id))) }) {
		storage, s.usable = nil, false
	}
	s.turn <- storage
}

// panics contains a panic: an agent can write anything into an object store,
// and not every way to be wrong is expected by who reads it. What is left of
// the storage is not used again.
func panics(job func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	job()
	return false
}

// open returns nil where git is the better reader: go-git would load each
// index of an alternate again for each object.
func (s *store) open() *filesystem.ObjectStorage {
	objects := filepath.Join(s.dir, "objects")
	if _, err := os.Stat(filepath.Join(objects, "info", "alternates")); !os.IsNotExist(err) {
		return nil
	}
	packs, err := os.ReadDir(filepath.Join(objects, "pack"))
	if err != nil {
		return nil
	}
	var size int64
	for _, file := range packs {
		if info, err := file.Info(); err == nil && filepath.Ext(file.Name()) == ".idx" {
			size += info.Size()
		}
	}
	if size > maxIndexes {
		return nil
	}
	dir := dotgit.NewWithOptions(osfs.New(s.dir), dotgit.Options{})
	// An open pack stays readable when git packs anew.
	return filesystem.NewObjectStorageWithOptions(dir, cache.NewObjectLRU(cacheSize), filesystem.Options{KeepDescriptors: true})
}

func (s *store) close() error {
	storage := <-s.turn
	if storage == nil {
		return nil
	}
	return storage.Close()
}
