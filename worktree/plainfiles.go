package worktree

import (
	"bytes"
	"context"
	"errors"
	"io"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/safeopen"
)

// readPlain fills in the files that are recorded as they are, and returns the
// others, which git has to read.
func (e *Engine) readPlain(ctx context.Context, c orchestrator.Checkout, files []orchestrator.Path, hints, found map[orchestrator.Path]orchestrator.Entry) (left []orchestrator.Path, err error) {
	w, err := e.waysOf(ctx, c)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	objects, done, err := e.objectsFor(ctx, c.CommonDir, w.format.EmptyTree())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	r := plainReader{ways: w, objects: objects}
	for _, path := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		entry, err := r.one(path, hints[path])
		switch {
		case err == nil:
			found[path] = entry
		case isFull(err):
			return nil, err
		default: // git says what it is, or copes
			left = append(left, path)
		}
	}
	return left, nil
}

// plainReader reads files of a checkout.
type plainReader struct {
	*ways
	objects *store
}

// errConverted says that a file is not recorded as it is, or may not be.
var errConverted = errors.New("its content may be converted")

// one returns how a file is recorded, and stores it unless it is as the hint
// says.
func (r plainReader) one(path orchestrator.Path, hint orchestrator.Entry) (orchestrator.Entry, error) {
	st, err := r.root.Lstat(path)
	if err != nil {
		return orchestrator.Entry{}, err
	}
	entry := orchestrator.Entry{Mode: dircache.ModeOf(&st)}
	rules := r.of(path, entry.Mode)
	if rules&odd != 0 {
		return entry, errConverted
	}
	switch entry.Mode {
	case orchestrator.ModeSymlink:
		target, err := r.root.Readlink(path)
		if err != nil {
			return entry, err
		}
		entry.ID, err = r.store([]byte(target), hint.ID)
		return entry, err
	case orchestrator.ModeRegular, orchestrator.ModeExec:
		f, err := r.root.Open(path)
		if err != nil {
			return entry, err
		}
		defer f.Close()
		entry.Mode = dircache.ModeOf(f.Stat())
		entry.ID, err = r.content(f, rules&textual != 0, hint.ID)
		return entry, errors.Join(err, f.Unchanged())
	}
	return entry, errConverted
}

func (r plainReader) content(f *safeopen.File, textual bool, hint orchestrator.ObjectID) (orchestrator.ObjectID, error) {
	size := f.Stat().Size
	if size > pack.Buffered {
		return r.large(f, size, textual, hint)
	}
	content := make([]byte, size)
	if _, err := readFull(f, content); err != nil {
		return "", err
	}
	if textual && bytes.IndexByte(content, '\r') >= 0 {
		return "", errConverted
	}
	return r.store(content, hint)
}

func (r plainReader) store(content []byte, hint orchestrator.ObjectID) (orchestrator.ObjectID, error) {
	if id := r.format.Of(objectid.Blob, content); id == hint {
		return id, nil
	}
	return r.objects.put(objectid.Blob, content)
}

// large names a file first: as a rule it is the one of the hint.
func (r plainReader) large(f *safeopen.File, size int64, textual bool, hint orchestrator.ObjectID) (orchestrator.ObjectID, error) {
	lines := &lineEnds{r: f}
	sum := r.format.Hasher(objectid.Blob, size)
	if _, err := io.Copy(sum, lines); err != nil {
		return "", err
	}
	id, err := sum.ID()
	switch {
	case err != nil:
		return "", err
	case textual && lines.found:
		return "", errConverted
	case id == hint:
		return id, nil
	}
	if err := f.Rewind(); err != nil {
		return "", err
	}
	return r.objects.putBlob(f, size)
}
