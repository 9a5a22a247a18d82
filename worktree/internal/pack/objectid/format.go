package objectid

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"

	"boo/orchestrator"
)

// Format is a repository's object format (extensions.objectFormat).
type Format uint8

// The formats that git knows.
const (
	SHA1 Format = iota
	SHA256
)

// FormatOf tells the format of the repository that id comes from.
func FormatOf(id orchestrator.ObjectID) (Format, error) {
	switch len(id) {
	case 2 * sha1.Size:
		return SHA1, nil
	case 2 * sha256.Size:
		return SHA256, nil
	}
	return 0, fmt.Errorf("object id %q: want 40 or 64 digits", id)
}

// Size returns the length of a raw id in bytes.
func (f Format) Size() int {
	if f == SHA256 {
		return sha256.Size
	}
	return sha1.Size
}

// New returns the format's bare hash, as used for checksums of git's files.
func (f Format) New() hash.Hash {
	if f == SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// Version returns the number that packs, indexes and bundles record for the
// format: 1 or 2.
func (f Format) Version() uint32 { return uint32(f) + 1 }

// EmptyTree returns the id of the tree without entries.
func (f Format) EmptyTree() orchestrator.ObjectID { return f.Of(Tree, nil) }

// EmptyBlob returns the id of the blob without content.
func (f Format) EmptyBlob() orchestrator.ObjectID { return f.Of(Blob, nil) }

// FromRaw turns the raw bytes of an id into its digits.
func FromRaw(raw []byte) orchestrator.ObjectID {
	return orchestrator.ObjectID(hex.EncodeToString(raw))
}

// AppendRaw appends the raw bytes of id to dst. It refuses what is not an id of
// this format.
func (f Format) AppendRaw(dst []byte, id orchestrator.ObjectID) ([]byte, error) {
	if len(id) != 2*f.Size() {
		return dst, fmt.Errorf("object id %q: want %d digits", id, 2*f.Size())
	}
	start := len(dst)
	dst = slices.Grow(dst, f.Size())[:start+f.Size()]
	raw, wrong := dst[start:], byte(0)
	for i := range raw {
		high, low := digits[id[2*i]], digits[id[2*i+1]]
		wrong |= high | low
		raw[i] = high<<4 | low
	}
	if wrong > 15 {
		return dst[:start], fmt.Errorf("object id %q: not lower-case hexadecimal", id)
	}
	return dst, nil
}

// digits holds the value of each lower-case digit, and more than 15 for every
// other byte.
var digits = func() (table [256]byte) {
	for c := range table {
		table[c] = 0xf0
	}
	for v, c := range []byte("0123456789abcdef") {
		table[c] = byte(v)
	}
	return table
}()
