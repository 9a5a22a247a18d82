package pack

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// addLarge compresses a blob into a file of its own first: whether it is new is
// known only at its end.
func (w *Writer) addLarge(r io.Reader, size int64) (id orchestrator.ObjectID, err error) {
	spool, err := createTemp(w.dir)
	if err != nil {
		return "", w.fail("create pack", err)
	}
	defer func() { err = errors.Join(err, spool.Close(), os.Remove(spool.Name())) }()

	c := coders.Get().(*coder)
	defer coders.Put(c)
	id, err = w.compress(c, spool, r, size)
	if err != nil {
		return "", err
	}
	isNew, err := w.claim(id)
	if err != nil || !isNew {
		return id, err
	}
	file, offset, err := w.reserve(id, c)
	if err != nil {
		return id, err
	}
	_, err = spool.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(io.NewOffsetWriter(file, offset), spool)
	}
	if err != nil {
		return id, w.fail("write pack", err)
	}
	return id, nil
}

func (w *Writer) compress(c *coder, spool *os.File, r io.Reader, size int64) (orchestrator.ObjectID, error) {
	to := bufio.NewWriterSize(spool, 256<<10)
	hasher := w.opts.Format.Hasher(objectid.Blob, size)
	c.start(to, objectid.Blob, size)
	source := &reader{r: io.LimitReader(r, size+1)}
	_, err := io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(hasher, c)}, source, make([]byte, 256<<10))
	switch {
	case source.err != nil:
		return "", fmt.Errorf("read blob: %w", source.err)
	case err != nil:
		return "", w.fail("write pack", err)
	}
	if err := errors.Join(c.finish(), to.Flush()); err != nil {
		return "", w.fail("write pack", err)
	}
	id, err := hasher.ID()
	if err != nil {
		return "", fmt.Errorf("read blob: %w", err)
	}
	return id, nil
}

// reader remembers whether it was reading that failed, and not writing.
type reader struct {
	r   io.Reader
	err error
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
