package objectid

import (
	"errors"
	"hash"
	"strconv"

	"boo/orchestrator"
)

// Kind is the type of an object, with the number that packs record for it
// (gitformat-pack(5)).
type Kind uint8

// The kinds of objects.
const (
	Commit Kind = 1
	Tree   Kind = 2
	Blob   Kind = 3
	Tag    Kind = 4
)

// String returns the word that git uses for the kind.
func (k Kind) String() string {
	switch k {
	case Commit:
		return "commit"
	case Tree:
		return "tree"
	case Blob:
		return "blob"
	case Tag:
		return "tag"
	}
	return "kind " + strconv.Itoa(int(k))
}

// ParseKind is the inverse of [Kind.String].
func ParseKind(word string) (Kind, error) {
	for k := Commit; k <= Tag; k++ {
		if k.String() == word {
			return k, nil
		}
	}
	return 0, errors.New("object kind " + strconv.Quote(word) + ": not known")
}

// Of returns the id of the object of that kind and content.
func (f Format) Of(kind Kind, content []byte) orchestrator.ObjectID {
	h := f.Hasher(kind, int64(len(content)))
	h.hash.Write(content)
	return FromRaw(h.hash.Sum(nil))
}

// ErrLength says that a [Hasher] was given more or fewer bytes than announced.
var ErrLength = errors.New("content is not as long as announced")

// Hasher computes the id of an object whose content comes in pieces. It is
// used by one goroutine.
type Hasher struct {
	hash hash.Hash
	left int64
}

// Hasher starts the id of an object with size bytes of content.
func (f Format) Hasher(kind Kind, size int64) *Hasher {
	h := &Hasher{hash: f.New(), left: size}
	header := append(make([]byte, 0, 32), kind.String()...)
	header = append(header, ' ')
	header = strconv.AppendInt(header, size, 10)
	h.hash.Write(append(header, 0))
	return h
}

// Write takes the next piece of the content; it never fails.
func (h *Hasher) Write(p []byte) (int, error) {
	h.left -= int64(len(p))
	return h.hash.Write(p)
}

// ID returns the id, or [ErrLength].
func (h *Hasher) ID() (orchestrator.ObjectID, error) {
	if h.left != 0 {
		return "", ErrLength
	}
	return FromRaw(h.hash.Sum(nil)), nil
}
