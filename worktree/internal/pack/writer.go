package pack

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// Buffered is the size in bytes up to which a blob is compressed in memory; a
// larger one goes through a temporary file.
const Buffered = 1 << 20

// Options say what a writer cannot know by itself.
type Options struct {
	Format objectid.Format
	// Exists reports whether the repository has an object already. It is called
	// at most once per object, by several goroutines at a time. Nil: it has none.
	Exists func(orchestrator.ObjectID) (bool, error)
	// Keep, if not nil, makes a .keep file beside the pack before git can see
	// it: no garbage collection takes the pack until the caller has removed that
	// file, after something refers to the objects.
	Keep func(path string) error
	// Made, if not nil, is told the name of the pack after its .keep file is
	// there and before the pack is.
	Made func(name string)
	// Provisional leaves out of Commit what makes the pack's name durable: it
	// may be gone after a power cut, but what is there is whole.
	Provisional bool
}

// Writer gathers the objects of one pack. Add and AddBlob may be called
// concurrently; Commit and Close by one goroutine, after the others are done.
type Writer struct {
	dir  string
	opts Options

	mu      sync.Mutex
	known   map[orchestrator.ObjectID]bool // added, being added, or there before
	entries []entry
	end     int64 // where the next entry goes
	broken  error // first error of the disk's
	file    *os.File
	done    bool
	written Result
}

// entry is one object of the pack, as its index lists it.
type entry struct {
	raw    []byte // id
	crc    uint32 // of its bytes in the pack
	offset int64
}

const packHeader = 12

// New returns a writer for the directory objects/pack of a repository.
// Nothing is created before the first new object.
func New(dir string, opts Options) *Writer {
	return &Writer{dir: dir, opts: opts, known: map[orchestrator.ObjectID]bool{}, end: packHeader}
}

// Add adds an object that is in memory, and returns its id.
func (w *Writer) Add(kind objectid.Kind, content []byte) (orchestrator.ObjectID, error) {
	id := w.opts.Format.Of(kind, content)
	isNew, err := w.claim(id)
	if err != nil || !isNew {
		return id, err
	}
	c := coders.Get().(*coder)
	defer coders.Put(c)
	if err := c.whole(kind, content); err != nil {
		return id, w.fail("compress", err)
	}
	file, offset, err := w.reserve(id, c)
	if err != nil {
		return id, err
	}
	if _, err := file.WriteAt(c.buf.Bytes(), offset); err != nil {
		return id, w.fail("write pack", err)
	}
	return id, nil
}

// AddBlob adds a blob of size bytes that r yields, and returns its id. If r
// yields more or fewer, as a file does that is being written, the error wraps
// [objectid.ErrLength] and the blob is left out; so it is if r fails.
func (w *Writer) AddBlob(r io.Reader, size int64) (orchestrator.ObjectID, error) {
	if size > Buffered {
		return w.addLarge(r, size)
	}
	buf := buffers.Get().(*[Buffered + 1]byte)
	defer buffers.Put(buf)
	n, err := io.ReadFull(r, buf[:size+1])
	switch {
	case err == nil || n != int(size) && (err == io.EOF || err == io.ErrUnexpectedEOF):
		return "", fmt.Errorf("read blob: %w", objectid.ErrLength)
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return "", fmt.Errorf("read blob: %w", err)
	}
	return w.Add(objectid.Blob, buf[:size])
}

var buffers = sync.Pool{New: func() any { return new([Buffered + 1]byte) }}

// Has reports whether an object was added, or was there before. It is for after
// Commit.
func (w *Writer) Has(id orchestrator.ObjectID) bool { return w.known[id] }

// claim reports whether the caller has to add the object.
func (w *Writer) claim(id orchestrator.ObjectID) (bool, error) {
	w.mu.Lock()
	known, broken := w.known[id], w.broken
	w.known[id] = true
	w.mu.Unlock()
	if known || broken != nil || w.opts.Exists == nil {
		return !known, broken
	}
	exists, err := w.opts.Exists(id)
	if err != nil {
		return false, w.fail("look up object "+string(id), err)
	}
	return !exists, nil
}

// reserve gives the object that c holds its place in the pack, and notes it.
func (w *Writer) reserve(id orchestrator.ObjectID, c *coder) (*os.File, int64, error) {
	raw, err := w.opts.Format.AppendRaw(nil, id)
	if err != nil {
		return nil, 0, err
	}
	file, err := w.open()
	if err != nil {
		return nil, 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	offset := w.end
	w.end += c.written
	w.entries = append(w.entries, entry{raw: raw, crc: c.crc, offset: offset})
	return file, offset, nil
}

// open returns the pack's temporary file, which the first caller creates.
func (w *Writer) open() (*os.File, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken == nil && w.file == nil {
		if w.file, w.broken = createTemp(w.dir); w.broken != nil {
			w.broken = fmt.Errorf("create pack: %w", w.broken)
		}
	}
	return w.file, w.broken
}

// draftPrefix is what the names of unfinished files begin with. It is not git's
// own "tmp_": a git gc --prune=now would take them from under the writer.
const draftPrefix = ".boo-pack-"

func createTemp(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, draftPrefix+"*")
}

// DropDrafts removes what writers that died before a moment have left in a
// directory of packs.
func DropDrafts(dir string, before time.Time) error {
	drafts, err := filepath.Glob(filepath.Join(dir, draftPrefix+"*"))
	for _, draft := range drafts {
		if info, err := os.Lstat(draft); err == nil && info.ModTime().Before(before) {
			_ = os.Remove(draft) // tried again the next time
		}
	}
	return err
}

// fail notes the first error of the disk's; no pack comes of this writer.
func (w *Writer) fail(verb string, err error) error {
	err = fmt.Errorf("%s: %w", verb, err)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken == nil {
		w.broken = err
	}
	return err
}

// Close frees what the writer holds. Without a Commit before, nothing remains
// of what was added. Closing again does nothing.
func (w *Writer) Close() error {
	if w.file == nil || w.done {
		return nil
	}
	w.done = true
	return errors.Join(w.file.Close(), os.Remove(w.file.Name()))
}
