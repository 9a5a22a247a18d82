package inflate

import (
	"encoding/binary"
	"errors"
)

// ErrCorrupt says that a stream is not what it should be, or not that long.
var ErrCorrupt = errors.New("compressed data is corrupt")

// Slack is how many bytes have to be free behind the output, and be there
// behind the input, so that the inner loop need not look where they end. The
// output's are overwritten.
const Slack = 320

// Decoder decompresses one stream after the other. The zero value is ready; it
// is used by one goroutine at a time.
type Decoder struct {
	lit, dist table
	lengths   [maxLit + maxDist]uint8

	src    []byte
	at     int    // what of src is in window, or was
	window uint64 // bits that are next, the lowest first
	bits   uint   // how many of them; those above are what src has there, or 0
}

// Zlib decompresses a stream that src begins with into dst[:n]. Both have
// [Slack] more bytes, of any value.
func (d *Decoder) Zlib(dst []byte, n int, src []byte) error {
	if len(dst) < n+Slack || len(src) < 2+Slack {
		return ErrCorrupt
	}
	// A window of at most 32 kB, deflate, no dictionary, and a check.
	if src[0]&15 != 8 || src[0]>>4 > 7 || src[1]&0x20 != 0 || (int(src[0])<<8|int(src[1]))%31 != 0 {
		return ErrCorrupt
	}
	d.src, d.at, d.window, d.bits = src, 2, 0, 0
	defer func() { d.src = nil }()
	at := 0
	for last := false; !last; {
		if !d.fill() {
			return ErrCorrupt
		}
		head := d.take(3)
		last = head&1 != 0
		var err error
		switch head >> 1 {
		case 0:
			at, err = d.stored(dst, at, n)
		case 1:
			if err = d.fixed(); err == nil {
				at, err = d.block(dst, at, n)
			}
		case 2:
			if err = d.dynamic(); err == nil {
				at, err = d.block(dst, at, n)
			}
		default:
			err = ErrCorrupt
		}
		if err != nil {
			return err
		}
	}
	d.align()
	if at != n || d.at+4 > len(src) || binary.BigEndian.Uint32(src[d.at:]) != adler(dst[:n]) {
		return ErrCorrupt
	}
	return nil
}

// fill makes at least 56 bits available. It is false at the end of the slack.
func (d *Decoder) fill() bool {
	if d.at+8 > len(d.src) {
		return false
	}
	d.window |= binary.LittleEndian.Uint64(d.src[d.at:]) << d.bits
	d.at += int((63 - d.bits) >> 3)
	d.bits |= 56
	return true
}

// take removes up to 16 bits, which are there.
func (d *Decoder) take(n uint) uint64 {
	v := d.window & (1<<n - 1)
	d.window >>= n
	d.bits -= n
	return v
}

// align goes on at the next whole byte, with an empty window.
func (d *Decoder) align() {
	d.at -= int(d.bits >> 3)
	d.window, d.bits = 0, 0
}

// stored copies a block that is not compressed.
func (d *Decoder) stored(dst []byte, at, n int) (int, error) {
	d.align()
	if d.at+4 > len(d.src) {
		return 0, ErrCorrupt
	}
	size := int(binary.LittleEndian.Uint16(d.src[d.at:]))
	if size != int(^binary.LittleEndian.Uint16(d.src[d.at+2:])) || d.at+4+size > len(d.src) || at+size > n {
		return 0, ErrCorrupt
	}
	copy(dst[at:], d.src[d.at+4:][:size])
	d.at += 4 + size
	return at + size, nil
}

// block decompresses a block by the codes that are set up. The state is held
// in local variables, and one shift takes a code and its extra bits, which is
// what makes it fast.
func (d *Decoder) block(dst []byte, at, n int) (int, error) {
	src, pos, window, bits := d.src, d.at, d.window, d.bits
	dst = dst[:n+Slack]
	for at <= n && pos <= len(src)-16 {
		window |= binary.LittleEndian.Uint64(src[pos:]) << (bits & 63)
		pos += int((63 - bits) >> 3)
		bits |= 56
		e := d.lit.fast[window&(1<<fastBits-1)]
		// Up to three literals, of fastBits at most, without a look at src.
		// The length and the distance of a match have 48 bits at most.
		if e&literal != 0 {
			dst[at] = byte(e >> 16)
			at++
			window >>= e & 31
			bits -= uint(e & 31)
			e = d.lit.fast[window&(1<<fastBits-1)]
			if e&literal != 0 {
				dst[at] = byte(e >> 16)
				at++
				window >>= e & 31
				bits -= uint(e & 31)
				e = d.lit.fast[window&(1<<fastBits-1)]
				if e&literal != 0 {
					dst[at] = byte(e >> 16)
					at++
					window >>= e & 31
					bits -= uint(e & 31)
					continue
				}
			}
			window |= binary.LittleEndian.Uint64(src[pos:]) << (bits & 63)
			pos += int((63 - bits) >> 3)
			bits |= 56
		}
		if e == 0 {
			e = d.lit.slow(window, &litSymbols)
			if e&literal != 0 {
				dst[at] = byte(e >> 16)
				at++
				window >>= e & 31
				bits -= uint(e & 31)
				continue
			}
		}
		size := int(e>>16 + uint32(window)&(1<<(e&31)-1)>>(e>>lengthAt&15))
		window >>= e & 31
		bits -= uint(e & 31)
		if e&(end|invalid) != 0 {
			d.at, d.window, d.bits = pos, window, bits
			if e&invalid != 0 || at > n {
				return 0, ErrCorrupt
			}
			return at, nil
		}
		e = d.dist.fast[window&(1<<fastBits-1)]
		if e == 0 {
			e = d.dist.slow(window, &distSymbols)
		}
		back := int(e>>16 + uint32(window)&(1<<(e&31)-1)>>(e>>lengthAt&15))
		window >>= e & 31
		bits -= uint(e & 31)
		if e&invalid != 0 || back > at {
			return 0, ErrCorrupt
		}
		if back >= 8 {
			// Most matches are short: what is copied too much is overwritten.
			from, to := dst[at-back:at-back+24], dst[at:at+24]
			binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
			binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(from[8:]))
			binary.LittleEndian.PutUint64(to[16:], binary.LittleEndian.Uint64(from[16:]))
			if size > 24 {
				repeat(dst, at+24, back, size-24)
			}
		} else {
			repeat(dst, at, back, size)
		}
		at += size
	}
	return 0, ErrCorrupt
}

// repeat copies size bytes, at most 258, from back bytes before at to at. It
// may write up to seven more. It is kept out of the loop, which needs the
// registers.
//
//go:noinline
func repeat(dst []byte, at, back, size int) {
	if back >= 8 {
		from, to := dst[at-back:], dst[at:at+size+8]
		for i := 0; i < size; i += 8 {
			binary.LittleEndian.PutUint64(to[i:], binary.LittleEndian.Uint64(from[i:]))
		}
		return
	}
	for stop := at + size; at < stop; {
		n := copy(dst[at:stop], dst[at-back:at])
		at += n
		back += n
	}
}
