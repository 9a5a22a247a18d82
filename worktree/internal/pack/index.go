package pack

import (
	"bytes"
	"encoding/binary"
	"slices"

	"boo/worktree/internal/pack/objectid"
)

// encodeIndex returns the pack's index, version 2 (gitformat-pack(5)). It sorts
// the entries.
func encodeIndex(format objectid.Format, entries []entry, packChecksum []byte) []byte {
	slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare(a.raw, b.raw) })
	out := make([]byte, 0, 8+256*4+len(entries)*(format.Size()+16)+2*format.Size())
	out = append(out, 0xff, 't', 'O', 'c', 0, 0, 0, 2)
	out = appendFanout(out, entries)
	for _, e := range entries {
		out = append(out, e.raw...)
	}
	for _, e := range entries {
		out = binary.BigEndian.AppendUint32(out, e.crc)
	}
	var far []int64 // offsets that need more than 31 bits
	for _, e := range entries {
		small := uint32(e.offset)
		if e.offset > 1<<31-1 {
			small = 1<<31 | uint32(len(far))
			far = append(far, e.offset)
		}
		out = binary.BigEndian.AppendUint32(out, small)
	}
	for _, offset := range far {
		out = binary.BigEndian.AppendUint64(out, uint64(offset))
	}
	out = append(out, packChecksum...)
	sum := format.New()
	sum.Write(out)
	return sum.Sum(out)
}

// appendFanout appends, for each byte, how many ids begin with it or a smaller
// one.
func appendFanout(out []byte, sorted []entry) []byte {
	n := 0
	for b := range 256 {
		for n < len(sorted) && int(sorted[n].raw[0]) <= b {
			n++
		}
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	return out
}
