package pending

import "strings"

// edit is a run of lines of one text that another has in another form:
// a[oldAt:oldEnd] became b[newAt:newEnd]; one of the two may be empty.
type edit struct{ oldAt, oldEnd, newAt, newEnd int }

// maxScript bounds the work for two texts that have little in common: what is
// left between them after so many single edits counts as one.
const maxScript = 2000

// splitLines cuts a text after each line end.
func splitLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}

// lineDiff finds the edits that lead from a to b, in order, each separated from
// the next by at least one common line (Myers: An O(ND) Difference Algorithm).
func lineDiff(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	midA, midB := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(midA) == 0 && len(midB) == 0 {
		return nil
	}
	whole := []edit{{head, head + len(midA), head, head + len(midB)}}
	if len(midA) == 0 || len(midB) == 0 {
		return whole
	}
	trace, ok := forward(midA, midB)
	if !ok {
		return whole
	}
	edits := backward(trace, len(midA), len(midB))
	for i := range edits {
		edits[i].oldAt += head
		edits[i].oldEnd += head
		edits[i].newAt += head
		edits[i].newEnd += head
	}
	return edits
}

// forward returns, for each number of single edits, how far each diagonal gets.
func forward(a, b []string) (trace [][]int, ok bool) {
	limit := min(len(a)+len(b), maxScript)
	v := make([]int, 2*limit+2)
	for d := range limit + 1 {
		row := make([]int, 2*d+1)
		for k := -d; k <= d; k += 2 {
			x := 0
			switch {
			case d == 0:
			case k == -d || k != d && v[limit+k-1] < v[limit+k+1]:
				x = v[limit+k+1]
			default:
				x = v[limit+k-1] + 1
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			v[limit+k], row[d+k] = x, x
			if x >= len(a) && x-k >= len(b) {
				return append(trace, row), true
			}
		}
		trace = append(trace, row)
	}
	return nil, false
}

// backward walks the trace from the end and gathers the edits.
func backward(trace [][]int, x, y int) []edit {
	var single []edit // from the last to the first
	for d := len(trace) - 1; d > 0; d-- {
		before := trace[d-1]
		at := func(k int) int {
			if i := d - 1 + k; i >= 0 && i < len(before) {
				return before[i]
			}
			return -1
		}
		k := x - y
		down := k == -d || k != d && at(k-1) < at(k+1)
		prevK := k - 1
		if down {
			prevK = k + 1
		}
		px := at(prevK)
		py := px - prevK
		if down {
			single = append(single, edit{px, px, py, py + 1})
		} else {
			single = append(single, edit{px, px + 1, py, py})
		}
		x, y = px, py
	}
	var edits []edit
	for i := len(single) - 1; i >= 0; i-- {
		e := single[i]
		if n := len(edits); n > 0 && edits[n-1].oldEnd == e.oldAt && edits[n-1].newEnd == e.newAt {
			edits[n-1].oldEnd, edits[n-1].newEnd = e.oldEnd, e.newEnd
			continue
		}
		edits = append(edits, e)
	}
	return edits
}
