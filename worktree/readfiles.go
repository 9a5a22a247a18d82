package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/safeopen"

	"golang.org/x/sys/unix"
)

// readers is how many goroutines read and compress files.
const readers = 2

// readAll reads the files and takes down those that differ from the base.
func (p *inProcess) readAll(ctx context.Context, files []orchestrator.Path) error {
	parts := make([]fileReader, readers)
	errs := make([]error, readers)
	var wg sync.WaitGroup
	size := (len(files) + readers - 1) / readers
	for i := range parts {
		parts[i].inProcess = p
		part := files[min(i*size, len(files)):min((i+1)*size, len(files))]
		wg.Go(func() { errs[i] = parts[i].all(ctx, part) })
	}
	wg.Wait()
	for _, part := range parts {
		for _, entry := range part.differ {
			p.edits[entry.Path] = orchestrator.Entry{Mode: entry.Mode, ID: entry.ID}
		}
		for _, path := range part.gone {
			if p.index.Lookup(path) != nil {
				p.edits[path] = orchestrator.Entry{}
			}
		}
		p.changed = append(p.changed, part.differ...)
		p.same = append(p.same, part.equal...)
		p.read = p.read || part.looked
		p.linked = p.linked || part.linked
	}
	return errors.Join(errs...)
}

// fileReader reads some of the files of a snapshot.
type fileReader struct {
	*inProcess
	differ, equal []dircache.Entry
	gone          []orchestrator.Path
	looked        bool // stat data were not enough
	linked        bool
}

func (r *fileReader) all(ctx context.Context, files []orchestrator.Path) error {
	for _, path := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		entry, err := r.settled(path)
		if r.last && errors.Is(err, unix.ENOENT) {
			r.gone = append(r.gone, path)
			continue
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errUnusual, err)
		}
		if base := r.index.Lookup(path); base != nil && base.ID == entry.ID && base.Mode == entry.Mode {
			r.equal = append(r.equal, entry)
		} else {
			r.differ = append(r.differ, entry)
		}
	}
	return nil
}

// settled is one for a file that may change meanwhile: a small one has most likely
// come to rest a moment later.
func (r *fileReader) settled(path orchestrator.Path) (entry dircache.Entry, err error) {
	for range 5 {
		entry, err = r.one(path)
		if !errors.Is(err, safeopen.ErrChanged) && !errors.Is(err, objectid.ErrLength) || entry.Stat.Size > pack.Buffered {
			break
		}
	}
	return entry, err
}

// one returns what stands at a path, as it is to be recorded, and stores it if
// it is new.
func (r *fileReader) one(path orchestrator.Path) (dircache.Entry, error) {
	st, err := r.root.Lstat(path)
	if err != nil {
		return dircache.Entry{}, err
	}
	entry := dircache.Entry{Path: path, Mode: dircache.ModeOf(&st), Stat: dircache.StatOf(&st)}
	r.linked = r.linked || st.Nlink > 1
	if !plainPath(path, entry.Mode) {
		return entry, fmt.Errorf("%s has a name that git may refuse", path)
	}
	if known := r.known.Lookup(path); known != nil && r.known.Match(known, &st) == dircache.Unchanged {
		entry.ID = known.ID
		return entry, nil
	}
	r.looked = true
	switch entry.Mode {
	case orchestrator.ModeSymlink:
		target, err := r.root.Readlink(path)
		if err != nil {
			return entry, err
		}
		entry.ID, err = r.store(path, strings.NewReader(target), int64(len(target)))
		return entry, err
	case orchestrator.ModeRegular, orchestrator.ModeExec:
		entry.ID, err = r.content(path, &st)
		return entry, err
	}
	return entry, fmt.Errorf("%s is neither a file nor a symlink", path)
}

// content reads a file that was seen with the given stat data.
func (r *fileReader) content(path orchestrator.Path, st *unix.Stat_t) (orchestrator.ObjectID, error) {
	if st.Size > r.engine.opts.MaxFile {
		return "", fmt.Errorf("%s is larger than the limit", path)
	}
	f, err := r.root.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if dircache.StatOf(f.Stat()) != dircache.StatOf(st) || f.Stat().Size != st.Size {
		return "", safeopen.ErrChanged
	}
	var from io.Reader = f
	lines := &lineEnds{r: f}
	if r.text {
		from = lines
	}
	id, err := r.store(path, from, st.Size)
	if err == nil && lines.found {
		err = fmt.Errorf("%s holds carriage returns, which git may drop", path)
	}
	return id, errors.Join(err, f.Unchanged())
}

// store adds content to the pack unless it is what the base, or the snapshot
// before, has at the path.
func (r *fileReader) store(path orchestrator.Path, from io.Reader, size int64) (orchestrator.ObjectID, error) {
	if r.hashing {
		sum := r.format.Hasher(objectid.Blob, size)
		if _, err := io.Copy(sum, from); err != nil {
			return "", err
		}
		return sum.ID()
	}
	base, known := r.index.Lookup(path), r.known.Lookup(path)
	if base == nil && known == nil || size > pack.Buffered {
		return r.pack.AddBlob(from, size)
	}
	content := make([]byte, size)
	if _, err := readFull(from, content); err != nil {
		return "", err
	}
	if id := r.format.Of(objectid.Blob, content); base != nil && id == base.ID || known != nil && id == known.ID {
		return id, nil
	}
	return r.pack.Add(objectid.Blob, content)
}

// readFull fills content, which is all that there has to be to read.
func readFull(from io.Reader, content []byte) (int, error) {
	n, err := io.ReadFull(from, content)
	if err == nil {
		var more [1]byte
		if extra, _ := from.Read(more[:]); extra > 0 {
			err = objectid.ErrLength
		}
	}
	return n, err
}

// lineEnds notices carriage returns in what it passes on.
type lineEnds struct {
	r     io.Reader
	found bool
}

func (l *lineEnds) Read(b []byte) (int, error) {
	n, err := l.r.Read(b)
	l.found = l.found || bytes.IndexByte(b[:n], '\r') >= 0
	return n, err
}
