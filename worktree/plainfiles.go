package worktree

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/safeopen"
)

// readPlain fills in the files that are recorded as they are, and returns the
// other paths: those of files that git has to read, and of what is no file.
func (e *Engine) readPlain(ctx context.Context, c orchestrator.Checkout, paths []orchestrator.Path, hints map[orchestrator.Path]orchestrator.Entry, found map[orchestrator.Path]orchestrator.Reading) (others []orchestrator.Path, err error) {
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
	read := make([]orchestrator.Reading, len(paths))
	errs := make([]error, len(paths))
	err = inParts(len(paths), func(from, to int) error {
		r := plainReader{ways: w.again(), objects: objects}
		for i := from; i < to; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			read[i], errs[i] = r.one(paths[i], hints[paths[i]])
			if isFull(errs[i]) {
				return errs[i]
			}
		}
		return nil
	})
	for i, path := range paths {
		if errs[i] == nil {
			found[path] = read[i]
		} else { // git says what it is, or copes
			others = append(others, path)
		}
	}
	return others, err
}

// inParts has each of the readers do a part of n pieces of work.
func inParts(n int, do func(from, to int) error) error {
	const worthIt = 64
	if n < worthIt {
		return do(0, n)
	}
	errs := make([]error, readers)
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() { errs[i] = do(i*n/readers, (i+1)*n/readers) })
	}
	wg.Wait()
	return errors.Join(errs...)
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
func (r plainReader) one(path orchestrator.Path, hint orchestrator.Entry) (orchestrator.Reading, error) {
	st, err := r.root.Lstat(path)
	if err != nil {
		return orchestrator.Reading{}, err
	}
	entry := orchestrator.Entry{Mode: dircache.ModeOf(&st)}
	rules := r.of(path, entry.Mode)
	if rules&odd != 0 {
		return orchestrator.Reading{}, errConverted
	}
	switch entry.Mode {
	case orchestrator.ModeSymlink:
		target, err := r.root.Readlink(path)
		if err != nil {
			return orchestrator.Reading{}, err
		}
		entry.ID, err = r.store([]byte(target), hint.ID)
		return orchestrator.Reading{Entry: entry, Raw: entry.ID}, err
	case orchestrator.ModeRegular, orchestrator.ModeExec:
		f, err := r.root.Open(path)
		if err != nil {
			return orchestrator.Reading{}, err
		}
		defer f.Close()
		entry.Mode = dircache.ModeOf(f.Stat())
		entry.ID, err = r.content(f, rules&textual != 0, hint.ID)
		return orchestrator.Reading{Entry: entry, Raw: entry.ID}, errors.Join(err, f.Unchanged())
	}
	return orchestrator.Reading{}, errConverted
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
