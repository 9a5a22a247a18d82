package objects

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sort"

	"boo/worktree/internal/inflate"
	"boo/worktree/internal/pack/objectid"
)

// errDamaged says that a pack is not what gitformat-pack(5) describes, or is
// more than this reader takes on.
var errDamaged = errors.New("pack cannot be read")

// packFile is a pack with its index, which is held in memory. The pack is read
// by position and not mapped: a mapped file that somebody shortens ends the
// process.
type packFile struct {
	file    *os.File
	index   []byte
	hash    int // bytes of an id
	objects int
}

// The parts of an index, version 2.
const (
	fanoutAt = 8
	idsAt    = fanoutAt + 256*4
)

func openPack(name string, format objectid.Format) (*packFile, error) {
	index, err := readRegular(name+".idx", maxIndexes)
	if err != nil {
		return nil, err
	}
	if len(index) < idsAt || !bytes.HasPrefix(index, []byte{0xff, 't', 'O', 'c', 0, 0, 0, 2}) {
		return nil, errDamaged
	}
	p := &packFile{index: index, hash: format.Size(), objects: int(binary.BigEndian.Uint32(index[idsAt-4:]))}
	if len(index) < idsAt+p.objects*(p.hash+8)+2*p.hash {
		return nil, errDamaged
	}
	p.file, _, err = openRegular(name + ".pack")
	return p, err
}

func (p *packFile) close() { _ = p.file.Close() }

// offset returns where an object begins.
func (p *packFile) offset(raw []byte) (at int64, found bool) {
	from, to := 0, int(binary.BigEndian.Uint32(p.index[fanoutAt+4*int(raw[0]):]))
	if raw[0] > 0 {
		from = int(binary.BigEndian.Uint32(p.index[fanoutAt+4*int(raw[0]-1):]))
	}
	if from > to || to > p.objects {
		return 0, false
	}
	id := func(i int) []byte { return p.index[idsAt+i*p.hash:][:p.hash] }
	i := from + sort.Search(to-from, func(i int) bool { return bytes.Compare(id(from+i), raw) >= 0 })
	if i == to || !bytes.Equal(id(i), raw) {
		return 0, false
	}
	offsets := idsAt + p.objects*(p.hash+4)
	short := binary.BigEndian.Uint32(p.index[offsets+4*i:])
	if short&(1<<31) == 0 {
		return int64(short), true
	}
	long := offsets + 4*p.objects + 8*int(short&^(1<<31))
	if long+8 > len(p.index) {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(p.index[long:])), true
}

// The kinds of a packed object that are no kind of an object.
const (
	offsetDelta objectid.Kind = 6
	idDelta     objectid.Kind = 7
)

// header is what stands before the compressed part of a packed object.
type header struct {
	kind objectid.Kind
	size int64
	data int64 // where the compressed part begins
	base int64 // of a delta: where its base begins
}

// packedHeader bounds such a header.
const packedHeader = 64

// header reads the header of the object at an offset.
func (p *packFile) header(f *inflater, at int64) (h header, err error) {
	rest, err := f.bytes(p, at, packedHeader)
	if err != nil {
		return h, err
	}
	rest = rest[:len(rest)-inflate.Slack]
	n := len(rest)
	next := func() (b byte) {
		if len(rest) == 0 {
			err = errDamaged
			return 0
		}
		b, rest = rest[0], rest[1:]
		return b
	}
	b := next()
	h.kind, h.size = objectid.Kind(b>>4&7), int64(b&15)
	for shift := 4; b&0x80 != 0 && shift < 60; shift += 7 {
		b = next()
		h.size |= int64(b&0x7f) << shift
	}
	switch h.kind {
	case offsetDelta:
		b = next()
		back := int64(b & 0x7f)
		for b&0x80 != 0 && err == nil {
			b = next()
			back = (back+1)<<7 | int64(b&0x7f)
		}
		h.base = at - back
	case idDelta:
		if len(rest) < p.hash {
			return h, errDamaged
		}
		var found bool
		if h.base, found = p.offset(rest[:p.hash]); !found {
			return h, errDamaged
		}
		rest = rest[p.hash:]
	}
	h.data = at + int64(n-len(rest))
	if h.size < 0 || h.size > maxBlob || h.kind == offsetDelta && (h.base <= 0 || h.base >= at) {
		err = errDamaged
	}
	return h, err
}

// maxChain bounds the deltas of one object; git itself makes at most 4,095.
const maxChain = 5000

// read returns the object at an offset. The content is the inflater's, or one
// of the bases: it is not to be changed.
func (p *packFile) read(f *inflater, known *bases, at int64) (objectid.Kind, []byte, error) {
	var deltas []header // of the object, of its base, …
	var kind objectid.Kind
	var content []byte
	for kind == 0 {
		if base, ok := known.get(p, at); ok && len(deltas) > 0 {
			kind, content = base.kind, base.content
			break
		}
		h, err := p.header(f, at)
		if err != nil {
			return 0, nil, err
		}
		if h.kind == offsetDelta || h.kind == idDelta {
			if deltas = append(deltas, h); len(deltas) > maxChain {
				return 0, nil, errDamaged
			}
			at = h.base
			continue
		}
		if kind, content = h.kind, nil; kind == 0 {
			return 0, nil, errDamaged
		}
		if content, err = f.packed(p, h); err != nil {
			return 0, nil, err
		}
		if len(deltas) > 0 {
			content = bytes.Clone(content) // the inflater's is needed again
			known.put(p, at, object{kind, content})
		}
	}
	for i := len(deltas) - 1; i >= 0; i-- {
		delta, err := f.packed(p, deltas[i])
		if err != nil {
			return 0, nil, err
		}
		if content, err = patched(content, delta); err != nil {
			return 0, nil, fmt.Errorf("apply a delta: %w", err)
		}
		if i > 0 {
			known.put(p, deltas[i-1].base, object{kind, content})
		}
	}
	return kind, content, nil
}
