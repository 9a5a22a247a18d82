package pack

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Result says what a commit has written.
type Result struct {
	Name    string // such as "pack-1f0e…", without ".pack"; "" when nothing was new
	Objects int
	Bytes   int64  // of the pack and its index
	Keep    string // path of the .keep file; "" if there is none
}

// Commit makes the objects visible, and returns when they are on disk; with
// [Options.Provisional] only their bytes are, and [Writer.Settle] does the rest.
// Without a new object it writes nothing. After it the writer takes no more.
func (w *Writer) Commit() (Result, error) {
	if w.broken != nil || w.file == nil {
		return Result{}, w.broken
	}
	checksum, err := w.seal()
	if err != nil {
		return Result{}, w.fail("write pack", err)
	}
	index, err := createTemp(w.dir)
	if err != nil {
		return Result{}, w.fail("write pack index", err)
	}
	defer os.Remove(index.Name()) // gone already when all went well
	content := encodeIndex(w.opts.Format, w.entries, checksum)
	_, err = index.Write(content)
	err = errors.Join(err, syncAll(w.file, index), index.Close())
	if err != nil {
		return Result{}, w.fail("write pack index", err)
	}
	name := w.name()
	keep, err := w.keep(name)
	if err != nil {
		return Result{}, w.fail("keep pack", err)
	}
	if w.opts.Made != nil {
		w.opts.Made(name)
	}
	if err := w.publish(index.Name(), name); err != nil {
		return Result{}, w.fail("put pack in place", err)
	}
	size := w.end + int64(len(checksum)) + int64(len(content))
	w.written = Result{Name: name, Objects: len(w.entries), Bytes: size, Keep: keep}
	return w.written, nil
}

// Settle returns when what Commit has written will be there after a power cut.
func (w *Writer) Settle() error {
	if w.written.Name == "" {
		return nil
	}
	return syncDir(w.dir)
}

// keep writes the pack's .keep file, if one is wanted.
func (w *Writer) keep(name string) (string, error) {
	if w.opts.Keep == nil {
		return "", nil
	}
	path := filepath.Join(w.dir, name+".keep")
	return path, w.opts.Keep(path)
}

// seal writes the header, which says how many objects there are, and the
// checksum of everything.
func (w *Writer) seal() ([]byte, error) {
	header := binary.BigEndian.AppendUint32([]byte("PACK"), 2)
	header = binary.BigEndian.AppendUint32(header, uint32(len(w.entries)))
	if _, err := w.file.WriteAt(header, 0); err != nil {
		return nil, err
	}
	sum := w.opts.Format.New()
	content := io.NewSectionReader(w.file, 0, w.end)
	if _, err := io.CopyBuffer(struct{ io.Writer }{sum}, content, make([]byte, 128<<10)); err != nil {
		return nil, err
	}
	checksum := sum.Sum(nil)
	_, err := w.file.WriteAt(checksum, w.end)
	return checksum, err
}

// syncAll makes the files read-only, as git's are, and brings them to the disk,
// at the same time: file systems with a journal then write it once.
func syncAll(files ...*os.File) error {
	results := make(chan error, len(files))
	for _, f := range files {
		go func() { results <- errors.Join(f.Chmod(0o444), f.Sync()) }()
	}
	var err error
	for range files {
		err = errors.Join(err, <-results)
	}
	return err
}

// name makes a name that no pack has had. It is not that of the content, as git's
// are: a pack of the same objects may be there without a .keep file, and a
// collection that has noted it as one to remove takes it for kept from then on,
// copies nothing out of it, and removes it all the same (seen with git 2.39).
func (w *Writer) name() string {
	id := make([]byte, w.opts.Format.Size())
	_, _ = rand.Read(id) // never fails
	return "pack-" + hex.EncodeToString(id)
}

// publish gives the files their names. git finds a pack by its index, so that
// one comes last.
func (w *Writer) publish(index, name string) error {
	path := filepath.Join(w.dir, name)
	if err := os.Rename(w.file.Name(), path+".pack"); err != nil {
		return err
	}
	w.done = true
	if err := errors.Join(w.file.Close(), os.Rename(index, path+".idx")); err != nil {
		return errors.Join(err, os.Remove(path+".pack"))
	}
	return w.settleNow()
}

func (w *Writer) settleNow() error {
	if w.opts.Provisional {
		return nil
	}
	return syncDir(w.dir)
}

func syncDir(dir string) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open directory of packs: %w", err)
	}
	return errors.Join(unix.Fsync(fd), unix.Close(fd))
}
