package pack

import (
	"bytes"
	"hash/crc32"
	"io"
	"sync"

	"boo/worktree/internal/pack/objectid"

	"github.com/klauspost/compress/zlib"
)

// level is the zlib level. Measured on Go's own sources: level 2 of this
// implementation takes half the time of the standard library's level 1 and a
// third of its level 6, and its output is 3 % smaller than level 1's and 15 %
// larger than level 6's. Without compression a pack is three times the size.
const level = 2

// Text in which hardly anything repeats, such as digests in hex, the level above
// takes for noise in whole or in part, as chance will have it, although there are
// few different letters in it: what did not become half its size is given to a
// coder of letters alone too, which is fast. Source code becomes a third. Trees
// never do, as half of them are ids, which no coder makes smaller.
const lettersOnly = zlib.HuffmanOnly

// coder turns the content of one object into its bytes in a pack.
type coder struct {
	zlib    *zlib.Writer // one of these two
	levels  *zlib.Writer
	letters *zlib.Writer // nil until it is needed
	buf     bytes.Buffer // for objects that are compressed in memory
	first   bytes.Buffer // what may be better than what is in buf
	to      io.Writer
	crc     uint32
	written int64
}

// A coder's tables are large, and making them costs more than a small object.
var coders = sync.Pool{New: func() any {
	z, err := zlib.NewWriterLevel(nil, level)
	if err != nil {
		panic(err) // the level is a constant
	}
	return &coder{zlib: z, levels: z}
}}

// whole compresses an object that is in memory into c.buf.
func (c *coder) whole(kind objectid.Kind, content []byte) error {
	c.zlib = c.levels
	err := c.once(kind, content)
	if err != nil || kind == objectid.Tree || c.buf.Len() < len(content)/2 || len(content) < fewLetters {
		return err
	}
	if c.letters == nil {
		if c.letters, err = zlib.NewWriterLevel(nil, lettersOnly); err != nil {
			return err
		}
	}
	crc, written := c.crc, c.written
	c.buf, c.first = c.first, c.buf
	c.zlib = c.letters
	err = c.once(kind, content)
	c.zlib = c.levels
	if c.written > written {
		c.crc, c.written = crc, written
		c.buf, c.first = c.first, c.buf
	}
	return err
}

// fewLetters is the size in bytes below which there is nothing to be gained.
const fewLetters = 512

func (c *coder) once(kind objectid.Kind, content []byte) error {
	c.buf.Reset()
	c.start(&c.buf, kind, int64(len(content)))
	if _, err := c.Write(content); err != nil {
		return err
	}
	return c.finish()
}

// start writes the object's header to the given writer.
func (c *coder) start(to io.Writer, kind objectid.Kind, size int64) {
	c.to, c.crc, c.written = to, 0, 0
	var header [10]byte
	n := 0
	b := byte(kind)<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		header[n] = b | 0x80
		n++
		b = byte(size & 0x7f)
	}
	header[n] = b
	sink := (*sink)(c)
	_, _ = sink.Write(header[:n+1]) // a writer that fails does so again at once
	c.zlib.Reset(sink)
}

// Write compresses the next piece of the content.
func (c *coder) Write(p []byte) (int, error) { return c.zlib.Write(p) }

func (c *coder) finish() error { return c.zlib.Close() }

// sink is the side of a coder that compressed bytes come out of.
type sink coder

func (s *sink) Write(p []byte) (int, error) {
	s.crc = crc32.Update(s.crc, crc32.IEEETable, p)
	s.written += int64(len(p))
	return s.to.Write(p)
}
