package dircache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

const (
	signature  = "DIRC"
	headerSize = 12
	statSize   = 40 // the nine numbers of Stat and the mode
)

// On-disk flag bits (gitformat-index(5)).
const (
	diskAssumeValid  = 0x8000
	diskExtended     = 0x4000
	diskStageShift   = 12
	diskNameMask     = 0x0fff
	diskSkipWorktree = 0x4000
	diskIntentToAdd  = 0x2000
)

// Parse reads the bytes of an index file. modTime is the file's modification
// time, which is the moment as of which the index is true.
func Parse(data []byte, format objectid.Format, modTime time.Time) (*Index, error) {
	if len(data) < headerSize+format.Size() || string(data[:4]) != signature {
		return nil, corrupt("no index header")
	}
	sum := make(chan bool, 1)
	go func() { sum <- checksumHolds(data, format) }()
	x, err := parse(data[:len(data)-format.Size()], format)
	if intact := <-sum; err == nil && !intact {
		err = corrupt("checksum does not match")
	}
	if err != nil {
		return nil, err
	}
	x.asOf = modTime
	return x, nil
}

// checksumHolds accepts a checksum of zeros: index.skipHash writes it.
func checksumHolds(data []byte, format objectid.Format) bool {
	body, want := data[:len(data)-format.Size()], data[len(data)-format.Size():]
	if bytes.Count(want, []byte{0}) == len(want) {
		return true
	}
	h := format.New()
	h.Write(body)
	return bytes.Equal(h.Sum(nil), want)
}

func parse(data []byte, format objectid.Format) (*Index, error) {
	version := binary.BigEndian.Uint32(data[4:])
	if version < 2 || version > 4 {
		return nil, unsupported("version %d", version)
	}
	p := &parser{data: data, at: headerSize, width: format.Size(), version: version}
	count := binary.BigEndian.Uint32(data[8:])
	if int64(count) > int64(len(data)/p.least()) {
		return nil, corrupt("%d entries do not fit into %d bytes", count, len(data))
	}
	entries := make([]Entry, count)
	p.digits.Grow(int(count) * 2 * p.width)
	p.paths.Grow(len(data) - int(count)*p.least())
	for i := range entries {
		if err := p.entry(i, &entries[i]); err != nil {
			return nil, err
		}
	}
	x := &Index{format: format, version: version, entries: entries, emptyBlob: format.EmptyBlob()}
	// A split index has entries without a path, so its extension comes first.
	if err := x.extensions(data[p.at:]); err != nil {
		return nil, err
	}
	return x, check(entries)
}

// parser walks over the entries. Their paths and ids are pieces of two long
// strings, so that an index of 90,000 files costs a handful of allocations.
type parser struct {
	data    []byte
	at      int
	width   int // of a raw id
	version uint32
	paths   strings.Builder
	digits  strings.Builder
	last    string // the path before
}

// least returns the fewest bytes that an entry takes on disk.
func (p *parser) least() int { return statSize + p.width + 2 }

// entry reads the i-th entry.
func (p *parser) entry(i int, e *Entry) error {
	fixed := p.least()
	if len(p.data)-p.at < fixed {
		return corrupt("entry %d is cut off", i)
	}
	b := p.data[p.at : p.at+fixed]
	be := binary.BigEndian
	e.Stat = Stat{
		CtimeSec: be.Uint32(b), CtimeNsec: be.Uint32(b[4:]), MtimeSec: be.Uint32(b[8:]), MtimeNsec: be.Uint32(b[12:]),
		Dev: be.Uint32(b[16:]), Ino: be.Uint32(b[20:]), UID: be.Uint32(b[28:]), GID: be.Uint32(b[32:]), Size: be.Uint32(b[36:]),
	}
	e.Mode = orchestrator.FileMode(be.Uint32(b[24:]))
	if !validMode(e.Mode) {
		if e.Mode == 0o40000 {
			return unsupported("sparse index")
		}
		return corrupt("entry %d has mode %o", i, e.Mode)
	}
	e.ID = p.id(b[statSize : statSize+p.width])
	flags := be.Uint16(b[statSize+p.width:])
	e.Stage = uint8(flags >> diskStageShift & 3)
	if flags&diskAssumeValid != 0 {
		e.Flags |= AssumeValid
	}
	start := p.at
	p.at += fixed
	if flags&diskExtended != 0 {
		if err := p.extended(e); err != nil {
			return err
		}
	}
	from := p.paths.Len()
	var err error
	if p.version == 4 {
		err = p.compressedPath(i)
	} else {
		err = p.paddedPath(i, start)
	}
	p.last = p.paths.String()[from:]
	e.Path = orchestrator.Path(p.last)
	return err
}

func (p *parser) id(raw []byte) orchestrator.ObjectID {
	from := p.digits.Len()
	var digits [2 * sha256.Size]byte
	p.digits.Write(digits[:hex.Encode(digits[:], raw)])
	return orchestrator.ObjectID(p.digits.String()[from:])
}

func (p *parser) extended(e *Entry) error {
	if p.version < 3 || len(p.data)-p.at < 2 {
		return corrupt("extended flags where there can be none")
	}
	flags := binary.BigEndian.Uint16(p.data[p.at:])
	if flags&diskSkipWorktree != 0 {
		e.Flags |= SkipWorktree
	}
	if flags&diskIntentToAdd != 0 {
		e.Flags |= IntentToAdd
	}
	p.at += 2
	return nil
}

// paddedPath reads a path of versions 2 and 3: as it is, then one to eight NULs
// that bring the entry to a multiple of eight bytes.
func (p *parser) paddedPath(i, start int) error {
	n := bytes.IndexByte(p.data[p.at:], 0)
	if n < 0 || n > maxPath {
		return corrupt("path of entry %d is cut off or too long", i)
	}
	p.paths.Write(p.data[p.at : p.at+n])
	p.at = start + padded(p.at+n-start)
	if p.at > len(p.data) {
		return corrupt("entry %d is cut off", i)
	}
	return nil
}

// padded returns the length on disk of an entry whose path ends after n bytes.
func padded(n int) int { return (n + 8) &^ 7 }

// compressedPath reads a path of version 4: how many bytes to drop from the
// path before, and what comes instead.
func (p *parser) compressedPath(i int) error {
	drop, n := offsetVarint(p.data[p.at:])
	if n == 0 {
		return corrupt("path of entry %d is cut off", i)
	}
	p.at += n
	length := bytes.IndexByte(p.data[p.at:], 0)
	if length < 0 || drop > uint64(len(p.last)) || len(p.last)-int(drop)+length > maxPath {
		return corrupt("path of entry %d does not follow from the one before", i)
	}
	// A path may repeat a long prefix at the price of a few bytes. Real ones
	// stay far below this bound.
	if p.paths.Len() > 64<<20+16*len(p.data) {
		return corrupt("paths are longer than the file can stand for")
	}
	p.paths.WriteString(p.last[:len(p.last)-int(drop)])
	p.paths.Write(p.data[p.at : p.at+length])
	p.at += length + 1
	return nil
}

// offsetVarint reads the variable-width number of ofs-delta offsets; n is 0
// where there is none.
func offsetVarint(b []byte) (value uint64, n int) {
	for n < len(b) && n < 9 {
		c := b[n]
		n++
		value = value<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}

// check checks paths and order.
func check(entries []Entry) error {
	for i := range entries {
		e := &entries[i]
		if !validPath(string(e.Path)) {
			return corrupt("entry %d: %q is not a path in a tree", i, e.Path)
		}
		if i > 0 && compareEntries(&entries[i-1], e) >= 0 {
			return corrupt("entries %q and %q are out of order", entries[i-1].Path, e.Path)
		}
	}
	return nil
}
