package objects

import (
	"bytes"
	"io"
	"slices"
	"strconv"

	"boo/worktree/internal/inflate"
	"boo/worktree/internal/pack/objectid"

	"github.com/klauspost/compress/zlib"
)

// ahead is how much of a pack is read at once where one object after the other
// is wanted, which shows in several reads that are not far from each other:
// those of one object alone are two.
const (
	ahead   = 32 << 10
	several = 2
)

// inflater decompresses one object after the other into the same memory. Their
// checksums are checked.
type inflater struct {
	decoder inflate.Decoder
	out     []byte

	pack *packFile // what is in held, and slack behind it
	at   int64
	held []byte
	near int // how many reads followed one another
}

// bytes returns n bytes of a pack, or those that it has, with [inflate.Slack]
// behind them. They are valid until the next call.
func (f *inflater) bytes(p *packFile, at int64, n int) ([]byte, error) {
	had := int64(len(f.held) - inflate.Slack)
	next := p == f.pack && at >= f.at && at <= f.at+had+ahead
	if f.near++; !next {
		f.near = 0
	}
	if !next || at+int64(n) > f.at+had {
		if f.near > several {
			n = max(n, ahead)
		}
		f.pack = nil
		f.held = sized(f.held, n+inflate.Slack)
		got, err := p.file.ReadAt(f.held[:n], at)
		if err != nil && err != io.EOF {
			return nil, err
		}
		f.pack, f.at, f.held = p, at, f.held[:got+inflate.Slack]
	}
	rest := f.held[at-f.at:]
	return rest[:min(n+inflate.Slack, len(rest))], nil
}

// packed returns the decompressed part of a packed object.
func (f *inflater) packed(p *packFile, h header) ([]byte, error) {
	// What deflate cannot make smaller it stores, with five bytes for each 64
	// kB; the rest is for the header, the checksum and other encoders.
	in, err := f.bytes(p, h.data, int(h.size+h.size>>8)+128)
	if err != nil {
		return nil, err
	}
	f.out = sized(f.out, int(h.size)+inflate.Slack)
	if err := f.decoder.Zlib(f.out, int(h.size), in); err != nil {
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
