package pending

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // the name git gives to bytes, not a protection
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
)

// errChanged says that a file is not the one that was looked at before.
var errChanged = errors.New("it changed in the meantime")

// blobID names size bytes of r as git names a blob of them. errChanged if
// there are more or fewer.
func blobID(r io.Reader, size int64, width int) (orchestrator.ObjectID, error) {
	var h hash.Hash = sha1.New() //nolint:gosec // see above
	if width == hex.EncodedLen(sha256.Size) {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", size)
	buf := buffers.Get().(*[bufferSize]byte)
	defer buffers.Put(buf)
	n, err := io.CopyBuffer(struct{ io.Writer }{h}, r, buf[:])
	if err != nil {
		return "", fmt.Errorf("read: %w", err)
	}
	if n != size {
		return "", errChanged
	}
	return orchestrator.ObjectID(hex.EncodeToString(h.Sum(nil))), nil
}

const bufferSize = 64 << 10

var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

func (d dir) readLink(name string) (io.ReadCloser, error) {
	buf := make([]byte, maxTarget+1)
	n, err := retry(func() (int, error) { return unix.Readlinkat(d.fd, name, buf) })
	if err != nil {
		return nil, wrap("read symlink", name, err)
	}
	return io.NopCloser(bytes.NewReader(buf[:n])), nil
}
