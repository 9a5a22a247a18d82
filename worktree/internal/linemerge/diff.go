package linemerge

// edit is a run of lines of the old side, which may be empty, that is another
// run in the new.
type edit struct{ old, oldLen, new, newLen int }

// diff finds the edits between two texts, whose lines have numbers below kinds.
// It reports false where git would stop looking for the shortest list of them.
func diff(a, b []int, kinds int) ([]edit, bool) {
	old, fresh := newSide(a), newSide(b)
	head, tail := common(a, b)
	inOld, inNew := tally(a, kinds), tally(b, kinds)
	old.choose(head, len(a)-tail, inNew)
	fresh.choose(head, len(b)-tail, inOld)
	s := search{a: old, b: fresh, shift: len(fresh.kept) + 1}
	size := len(old.kept) + len(fresh.kept) + 3
	s.forth, s.back = make([]int, size), make([]int, size)
	if !s.compare(0, len(old.kept), 0, len(fresh.kept)) {
		return nil, false
	}
	compact(old, fresh)
	compact(fresh, old)
	return edits(old, fresh), true
}

// side is one of two texts that are compared.
type side struct {
	ids     []int
	kept    []int  // the lines that are compared, the others being changed for sure
	changed []bool // one more than there are lines, which stays false
}

func newSide(ids []int) *side {
	return &side{ids: ids, changed: make([]bool, len(ids)+1)}
}

// common counts the lines that two texts begin and end with.
func common(a, b []int) (head, tail int) {
	limit := min(len(a), len(b))
	for head < limit && a[head] == b[head] {
		head++
	}
	for tail < limit-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// tally counts how often each line is in a text.
func tally(ids []int, kinds int) []int {
	n := make([]int, kinds)
	for _, id := range ids {
		n[id]++
	}
	return n
}

// What the other side has of a line.
const (
	none = iota
	some
	many
)

const (
	mostEqual  = 1024 // a line that the other side has as often is one of many
	scanWindow = 100  // how far around one of many is looked at
	keepRun    = 4    // so many times fewer without a match than of many: it is kept
)

// choose picks the lines between two that are worth comparing. Those that the
// other side has not are changed, and so are those that it has very often, in
// the midst of such as it has not.
func (s *side) choose(from, to int, other []int) {
	limit := min(root(len(s.ids)), mostEqual)
	match := make([]int, to-from)
	for i := range match {
		switch n := other[s.ids[from+i]]; {
		case n == 0:
			match[i] = none
		case n >= limit:
			match[i] = many
		default:
			match[i] = some
		}
	}
	for i, m := range match {
		if m == some || m == many && !lost(match, i) {
			s.kept = append(s.kept, from+i)
		} else {
			s.changed[from+i] = true
		}
	}
}

// lost reports whether one of many lies between lines without a match.
func lost(match []int, at int) bool {
	around := func(step, end int) (without, with int) {
		for i := at + step; i != end && match[i] != some; i += step {
			if match[i] == none {
				without++
			} else {
				with++
			}
		}
		return without, with
	}
	before, manyBefore := around(-1, max(-1, at-scanWindow-1))
	if before == 0 {
		return false
	}
	after, manyAfter := around(1, min(len(match), at+scanWindow+1))
	if after == 0 {
		return false
	}
	with := manyBefore + manyAfter + 2 // the line itself counts on both sides
	return with*keepRun < with+before+after
}

// root is about the square root: a power of two.
func root(n int) int {
	r := 1
	for ; n > 0; n >>= 2 {
		r <<= 1
	}
	return r
}

// edits gathers the changed lines.
func edits(a, b *side) []edit {
	var list []edit
	i, k := 0, 0
	for i < len(a.ids) || k < len(b.ids) {
		if !a.changed[i] && !b.changed[k] {
			i, k = i+1, k+1
			continue
		}
		e := edit{old: i, new: k}
		for a.changed[i] {
			i++
		}
		for b.changed[k] {
			k++
		}
		e.oldLen, e.newLen = i-e.old, k-e.new
		list = append(list, e)
	}
	return list
}
