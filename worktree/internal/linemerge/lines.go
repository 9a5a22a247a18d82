package linemerge

import "bytes"

// text is one of the three: its lines with their ends, and a number for each,
// that equal lines have in common.
type text struct {
	lines [][]byte
	ids   []int
}

// numbering numbers the lines of texts that are compared with each other.
type numbering map[string]int

func (n numbering) text(content []byte) text {
	var t text
	for line := range bytes.Lines(content) {
		id, known := n[string(line)]
		if !known {
			id = len(n)
			n[string(line)] = id
		}
		t.lines, t.ids = append(t.lines, line), append(t.ids, id)
	}
	return t
}

// renumbered gives the lines of a part numbers of its own, from 0.
func renumbered(a, b []int) (x, y []int, kinds int) {
	known := make(map[int]int, len(a)+len(b))
	number := func(ids []int) []int {
		list := make([]int, len(ids))
		for i, id := range ids {
			n, ok := known[id]
			if !ok {
				n = len(known)
				known[id] = n
			}
			list[i] = n
		}
		return list
	}
	x, y = number(a), number(b)
	return x, y, len(known)
}

// What is larger is git's to merge: memory is taken for each line.
const (
	mostBytes = 16 << 20
	mostLines = 1 << 19
)

// foreign reports whether a text is not for [Merge].
func foreign(content []byte) bool {
	return binary(content) || len(content) > mostBytes || bytes.Count(content, []byte("\n")) >= mostLines
}

// binaryPrefix is how many bytes git looks at for a zero one.
const binaryPrefix = 8000

func binary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), binaryPrefix)], 0) >= 0
}
