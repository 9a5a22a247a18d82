package pack

import "boo/worktree/internal/pack/objectid"

// EncodeIndexAt returns the index of a pack whose objects, of the given raw
// ids, lie at the given offsets.
func EncodeIndexAt(format objectid.Format, ids [][]byte, offsets []int64) []byte {
	entries := make([]entry, len(ids))
	for i := range ids {
		entries[i] = entry{raw: ids[i], offset: offsets[i]}
	}
	return encodeIndex(format, entries, make([]byte, format.Size()))
}
