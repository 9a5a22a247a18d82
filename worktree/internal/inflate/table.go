package inflate

import "math/bits"

// fastBits is the length of the codes that are looked up directly; the longer
// ones are rare. A larger table takes longer to set up than it saves.
const fastBits = 10

// How many symbols the alphabets have; the last two of each are never used.
const (
	maxLit  = 288
	maxDist = 32
)

// An entry of a table has the length of the code with its extra bits in the
// lowest five bits, the length of the code alone above it, flags, and a value
// from bit 16 on: the byte, the least length or the least distance. An entry of
// 0 is for a longer code, or none.
const (
	lengthAt = 5

	literal = 1 << 9
	end     = 1 << 10
	invalid = 1 << 11
)

// symbols are the entries of an alphabet, without the lengths of their codes.
type symbols [maxLit]uint32

var litSymbols, distSymbols, lengthSymbols = alphabets()

// alphabets follows RFC 1951, 3.2.5.
func alphabets() (lit, dist, length symbols) {
	for i := range lit {
		length[i] = uint32(i) << 16
		lit[i], dist[i] = invalid, invalid
	}
	for i := range uint32(256) {
		lit[i] = literal | i<<16
	}
	lit[256] = end
	least := uint32(3)
	for i := range uint32(28) {
		extra := max(i/4, 1) - 1
		lit[257+i] = least<<16 | extra
		least += 1 << extra
	}
	lit[285] = 258 << 16
	least = 1
	for i := range uint32(30) {
		extra := max(i/2, 1) - 1
		dist[i] = least<<16 | extra
		least += 1 << extra
	}
	return lit, dist, length
}

// table decodes the symbols of one Huffman code.
type table struct {
	fast   [1 << fastBits]uint32 // by the next bits
	count  [16]uint16            // codes of each length
	sorted [maxLit]uint16        // symbols in the order of their codes

	// Of the codes longer than fastBits: the least of them, shortened to
	// fastBits, and which of sorted it is.
	longer, longerAt int
}

// build sets the table up for codes of these lengths, 0 for none. A code that
// says more or less than all must be of one symbol only, or none.
func (t *table) build(lengths []uint8, alphabet *symbols) error {
	t.count = [16]uint16{}
	for _, n := range lengths {
		t.count[n]++
	}
	used := len(lengths) - int(t.count[0])
	t.count[0] = 0
	left := 1
	var next [16]uint16 // where symbols of a length go
	for n := 1; n < 16; n++ {
		if left = left<<1 - int(t.count[n]); left < 0 {
			return ErrCorrupt
		}
		next[n] = next[n-1] + t.count[n-1]
	}
	if left > 0 && used > 1 {
		return ErrCorrupt
	}
	for symbol, n := range lengths {
		if n > 0 {
			t.sorted[next[n]] = uint16(symbol)
			next[n]++
		}
	}
	t.fill(lengths, alphabet)
	return nil
}

// fill sets up the direct part. It grows by one bit at a time: what is known of
// n bits holds whatever the next one is.
func (t *table) fill(lengths []uint8, alphabet *symbols) {
	t.fast[0] = 0
	code, at := 0, 0
	for n := 1; n <= fastBits; n++ {
		half := 1 << (n - 1)
		copy(t.fast[half:2*half], t.fast[:half])
		code <<= 1
		for _, symbol := range t.sorted[at : at+int(t.count[n])] {
			t.fast[bits.Reverse16(uint16(code))>>(16-n)] = coded(alphabet[symbol], n)
			code++
		}
		at += int(t.count[n])
	}
	t.longer, t.longerAt = code, at
}

// coded is the entry of a symbol with a code of n bits.
func coded(symbol uint32, n int) uint32 { return symbol + uint32(n<<lengthAt+n) }

// slow decodes a symbol of a code that is longer than fastBits, bit by bit. The
// bits begin no shorter code, so that they are not below longer.
func (t *table) slow(window uint64, alphabet *symbols) uint32 {
	code := int(bits.Reverse16(uint16(window)) >> (16 - fastBits))
	window >>= fastBits
	first, index := t.longer, t.longerAt
	for n := fastBits + 1; n < 16; n++ {
		code = code<<1 | int(window&1)
		window >>= 1
		first <<= 1
		count := int(t.count[n])
		if code-first < count {
			return coded(alphabet[t.sorted[index+code-first]], n)
		}
		index += count
		first += count
	}
	return invalid
}

// fixed sets up the codes of RFC 1951, 3.2.6.
func (d *Decoder) fixed() error {
	lengths := d.lengths[:maxLit]
	for i := range lengths {
		switch {
		case i < 144, i >= 280:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		default:
			lengths[i] = 7
		}
	}
	if err := d.lit.build(lengths, &litSymbols); err != nil {
		return err
	}
	for i := range maxDist {
		lengths[i] = 5
	}
	return d.dist.build(lengths[:maxDist], &distSymbols)
}

// order is the one in which the lengths of the codes for lengths stand.
var order = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the codes that a block begins with (RFC 1951, 3.2.7).
func (d *Decoder) dynamic() error {
	if !d.fill() {
		return ErrCorrupt
	}
	lits, dists, codes := int(d.take(5))+257, int(d.take(5))+1, int(d.take(4))+4
	if lits > maxLit-2 || dists > maxDist-2 {
		return ErrCorrupt
	}
	var short [19]uint8
	for _, i := range order[:codes] {
		if !d.fill() {
			return ErrCorrupt
		}
		short[i] = uint8(d.take(3))
	}
	if err := d.dist.build(short[:], &lengthSymbols); err != nil {
		return err
	}
	if err := d.readLengths(d.lengths[:lits+dists]); err != nil {
		return err
	}
	if d.lengths[256] == 0 {
		return ErrCorrupt // such a block has no end
	}
	if err := d.lit.build(d.lengths[:lits], &litSymbols); err != nil {
		return err
	}
	return d.dist.build(d.lengths[lits:lits+dists], &distSymbols)
}

// readLengths reads lengths of codes, which are compressed themselves.
func (d *Decoder) readLengths(lengths []uint8) error {
	for i := 0; i < len(lengths); {
		if !d.fill() {
			return ErrCorrupt
		}
		e := d.dist.fast[d.window&(1<<fastBits-1)]
		if e == 0 {
			return ErrCorrupt
		}
		d.take(uint(e & 31))
		value, times := uint8(e>>16), 1
		switch value {
		case 16:
			if i == 0 {
				return ErrCorrupt
			}
			value, times = lengths[i-1], 3+int(d.take(2))
		case 17:
			value, times = 0, 3+int(d.take(3))
		case 18:
			value, times = 0, 11+int(d.take(7))
		}
		if i+times > len(lengths) {
			return ErrCorrupt
		}
		for ; times > 0; times-- {
			lengths[i] = value
			i++
		}
	}
	return nil
}
