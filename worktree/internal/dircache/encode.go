package dircache

import (
	"encoding/binary"
	"fmt"
	"slices"

	"boo/worktree/internal/pack/objectid"
)

// hashChunk is how many encoded bytes go to the hash at a time.
const hashChunk = 256 << 10

// Encode returns the bytes of the index as a file: version 2, or 3 where a mark
// of an entry needs it, with a checksum.
func (x *Index) Encode() ([]byte, error) {
	version := uint32(2)
	size := headerSize + 2*x.format.Size() + len(x.entries)*(statSize+x.format.Size()+12)
	for i := range x.entries {
		if x.entries[i].Flags&extendedFlags != 0 {
			version = 3
		}
		size += len(x.entries[i].Path)
	}
	data := make([]byte, 0, size+len(x.entries)*4)
	data = append(data, signature...)
	data = binary.BigEndian.AppendUint32(data, version)
	data = binary.BigEndian.AppendUint32(data, uint32(len(x.entries)))

	sum := newSummer(x.format)
	hashed := 0
	var err error
	for i := range x.entries {
		if data, err = x.appendEntry(data, &x.entries[i]); err != nil {
			break
		}
		if len(data)-hashed >= hashChunk {
			sum.chunks <- data[hashed:len(data):len(data)]
			hashed = len(data)
		}
	}
	if err == nil && x.trees != nil {
		data, err = x.appendTrees(data)
	}
	sum.chunks <- data[hashed:]
	checksum := sum.finish()
	if err != nil {
		return nil, err
	}
	return append(data, checksum...), nil
}

// summer hashes in a goroutine of its own what its owner has encoded; finish
// ends it.
type summer struct {
	chunks chan []byte
	result chan []byte
}

func newSummer(format objectid.Format) summer {
	s := summer{chunks: make(chan []byte, 16), result: make(chan []byte, 1)}
	go func() {
		h := format.New()
		for chunk := range s.chunks {
			h.Write(chunk)
		}
		s.result <- h.Sum(nil)
	}()
	return s
}

func (s summer) finish() []byte {
	close(s.chunks)
	return <-s.result
}

func (x *Index) appendEntry(data []byte, e *Entry) ([]byte, error) {
	start := len(data)
	be := binary.BigEndian
	data = slices.Grow(data, statSize)[:start+statSize]
	for i, v := range [...]uint32{
		e.Stat.CtimeSec, e.Stat.CtimeNsec, e.Stat.MtimeSec, e.Stat.MtimeNsec, e.Stat.Dev, e.Stat.Ino,
		uint32(e.Mode), e.Stat.UID, e.Stat.GID, e.Stat.Size,
	} {
		be.PutUint32(data[start+4*i:], v)
	}
	data, err := x.format.AppendRaw(data, e.ID)
	if err != nil {
		return data, fmt.Errorf("index entry %s: %w", e.Path, err)
	}
	flags := uint16(min(len(e.Path), diskNameMask)) | uint16(e.Stage)<<diskStageShift
	if e.Flags&AssumeValid != 0 {
		flags |= diskAssumeValid
	}
	if e.Flags&extendedFlags == 0 {
		data = be.AppendUint16(data, flags)
	} else {
		data = be.AppendUint16(data, flags|diskExtended)
		data = be.AppendUint16(data, extendedBits(e.Flags))
	}
	data = append(data, e.Path...)
	var zeros [8]byte
	return append(data, zeros[:padded(len(data)-start)-(len(data)-start)]...), nil
}

func extendedBits(flags Flags) (bits uint16) {
	if flags&SkipWorktree != 0 {
		bits |= diskSkipWorktree
	}
	if flags&IntentToAdd != 0 {
		bits |= diskIntentToAdd
	}
	return bits
}

func (x *Index) appendTrees(data []byte) ([]byte, error) {
	data = append(data, "TREE"...)
	at := len(data)
	data = append(data, 0, 0, 0, 0)
	data, err := x.trees.append(data, x.format)
	if err != nil {
		return data, fmt.Errorf("tree cache: %w", err)
	}
	binary.BigEndian.PutUint32(data[at:], uint32(len(data)-at-4))
	return data, nil
}
