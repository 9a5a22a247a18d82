package objects

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strconv"

	"boo/worktree/internal/inflate"
	"boo/worktree/internal/pack/objectid"

	"github.com/klauspost/compress/zlib"
)

// inflater decompresses one object after the other into the same memory. Their
// checksums are checked.
type inflater struct {
	decoder inflate.Decoder
	in, out []byte
}

// packed returns the decompressed part of a packed object.
func (f *inflater) packed(pack *os.File, h header) ([]byte, error) {
	// What deflate cannot make smaller it stores, with five bytes for each 64
	// kB; the rest is for the header, the checksum and other encoders.
	most := int(h.size+h.size>>8) + 128
	f.in = sized(f.in, most+inflate.Slack)
	n, err := pack.ReadAt(f.in[:most], h.data)
	if err != nil && err != io.EOF {
		return nil, err
	}
	f.out = sized(f.out, int(h.size)+inflate.Slack)
	if err := f.decoder.Zlib(f.out, int(h.size), f.in[:n+inflate.Slack]); err != nil {
		return nil, err
	}
	return f.out[:h.size], nil
}

// maxHeader bounds the header of a loose object: a kind, a size and a NUL.
const maxHeader = 32

// loose returns what a loose object's file holds: its length stands in itself.
func loose(file []byte) (objectid.Kind, []byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(file))
	if err != nil {
		return 0, nil, err
	}
	defer z.Close()
	out := make([]byte, maxHeader)
	n, err := io.ReadFull(z, out)
	if err != nil && err != io.ErrUnexpectedEOF {
		return 0, nil, err
	}
	head, begin, ok := bytes.Cut(out[:n], []byte{0})
	word, length, given := bytes.Cut(head, []byte{' '})
	size, err := strconv.Atoi(string(length))
	if !ok || !given || err != nil || size < len(begin) || size > maxBlob {
		return 0, nil, errDamaged
	}
	kind, err := objectid.ParseKind(string(word))
	if err != nil {
		return 0, nil, err
	}
	content := append(make([]byte, 0, size+1), begin...)
	// One byte more, so that the end is seen and the checksum looked at.
	n, err = io.ReadFull(z, content[len(begin):size+1])
	if err != io.EOF && err != io.ErrUnexpectedEOF || len(begin)+n != size {
		return 0, nil, errDamaged
	}
	return kind, content[:size], nil
}

// sized returns a slice of n bytes, in the same memory where that is enough.
func sized(b []byte, n int) []byte {
	return slices.Grow(b[:0], n)[:n]
}
