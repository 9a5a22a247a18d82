package linemerge

// search compares the kept lines of two texts, from both ends at once (Myers:
// An O(ND) Difference Algorithm, its linear space refinement).
type search struct {
	a, b        *side
	forth, back []int // how far each diagonal got; a diagonal is at shift plus it
	shift       int
}

// mostSteps is when git begins to give up on the shortest list of edits.
const mostSteps = 256

// compare marks what differs between two runs of kept lines. It reports false
// where that takes too many steps.
func (s *search) compare(aFrom, aTo, bFrom, bTo int) bool {
	for aFrom < aTo && bFrom < bTo && s.equal(aFrom, bFrom) {
		aFrom, bFrom = aFrom+1, bFrom+1
	}
	for aFrom < aTo && bFrom < bTo && s.equal(aTo-1, bTo-1) {
		aTo, bTo = aTo-1, bTo-1
	}
	if aFrom == aTo || bFrom == bTo {
		s.a.mark(aFrom, aTo)
		s.b.mark(bFrom, bTo)
		return true
	}
	box := box{search: s, aFrom: aFrom, aTo: aTo, bFrom: bFrom, bTo: bTo}
	i, k, ok := box.split()
	return ok && s.compare(aFrom, i, bFrom, k) && s.compare(i, aTo, k, bTo)
}

func (s *search) equal(i, k int) bool { return s.a.ids[s.a.kept[i]] == s.b.ids[s.b.kept[k]] }

func (s *side) mark(from, to int) {
	for _, line := range s.kept[from:to] {
		s.changed[line] = true
	}
}

// box is two runs that differ at both ends.
type box struct {
	*search
	aFrom, aTo, bFrom, bTo int
}

// span is the diagonals that a search has come to.
type span struct{ low, high int }

// beyond is further than any line.
const beyond = int(^uint(0) >> 1)

// split finds where a shortest list of edits can be cut in two.
func (b box) split() (i, k int, ok bool) {
	start, end := b.aFrom-b.bFrom, b.aTo-b.bTo
	odd := (start-end)&1 != 0
	forth, back := span{start, start}, span{end, end}
	b.forth[b.shift+start], b.back[b.shift+end] = b.aFrom, b.aTo
	for range mostSteps {
		b.widen(&forth, b.forth, -1)
		for d := forth.high; d >= forth.low; d -= 2 {
			i := b.ahead(d)
			if odd && back.low <= d && d <= back.high && b.back[b.shift+d] <= i {
				return i, i - d, true
			}
		}
		b.widen(&back, b.back, beyond)
		for d := back.high; d >= back.low; d -= 2 {
			i := b.behind(d)
			if !odd && forth.low <= d && d <= forth.high && i <= b.forth[b.shift+d] {
				return i, i - d, true
			}
		}
	}
	return 0, 0, false
}

// widen adds a diagonal at each end, or takes one away where the box ends; edge
// is what the one after counts as.
func (b box) widen(s *span, reach []int, edge int) {
	if s.low > b.aFrom-b.bTo {
		s.low--
		reach[b.shift+s.low-1] = edge
	} else {
		s.low++
	}
	if s.high < b.aTo-b.bFrom {
		s.high++
		reach[b.shift+s.high+1] = edge
	} else {
		s.high--
	}
}

// ahead takes one more step forward on a diagonal, and all equal lines after it.
func (b box) ahead(d int) int {
	at := b.shift + d
	i := b.forth[at+1]
	if b.forth[at-1] >= i {
		i = b.forth[at-1] + 1
	}
	for i < b.aTo && i-d < b.bTo && b.equal(i, i-d) {
		i++
	}
	b.forth[at] = i
	return i
}

// behind takes one more step back.
func (b box) behind(d int) int {
	at := b.shift + d
	i := b.back[at+1] - 1
	if b.back[at-1] <= i {
		i = b.back[at-1]
	}
	for i > b.aFrom && i-d > b.bFrom && b.equal(i-1, i-d-1) {
		i--
	}
	b.back[at] = i
	return i
}
