package linemerge

// Merged is what has become of three texts.
type Merged struct {
	base, ours, theirs text
	regions            []region
}

// Merge merges what ours and theirs have made of base. It reports false for
// texts that it does not take.
func Merge(base, ours, theirs []byte) (*Merged, bool) {
	if foreign(base) || foreign(ours) || foreign(theirs) {
		return nil, false
	}
	n := numbering{}
	m := &Merged{base: n.text(base), ours: n.text(ours), theirs: n.text(theirs)}
	mine, ok := diff(m.base.ids, m.ours.ids, len(n))
	if !ok {
		return nil, false
	}
	their, ok := diff(m.base.ids, m.theirs.ids, len(n))
	if !ok {
		return nil, false
	}
	m.weave(mine, their)
	if !m.refine() {
		return nil, false
	}
	m.join()
	return m, true
}

// Clean reports whether nothing collides.
func (m *Merged) Clean() bool {
	for _, r := range m.regions {
		if r.from == both {
			return false
		}
	}
	return true
}

// origin says where the lines of a region are taken from.
type origin int

const (
	both origin = iota // they collide
	ours
	theirs
	alike // both sides have come to the same lines
)

// region is lines of ours and theirs that stand for the same of the base.
type region struct {
	from            origin
	our, ourLen     int
	their, theirLen int
}

// weave brings the edits of both sides in order. Those that touch each other
// collide, unless they are the same.
func (m *Merged) weave(mine, their []edit) {
	for len(mine) > 0 || len(their) > 0 {
		switch {
		case len(their) == 0 || len(mine) > 0 && mine[0].old+mine[0].oldLen < their[0].old:
			e := mine[0]
			at := e.old + len(m.theirs.ids) - len(m.base.ids)
			if len(their) > 0 {
				at = e.old + their[0].new - their[0].old
			}
			m.add(region{ours, e.new, e.newLen, at, e.oldLen})
			mine = mine[1:]
		case len(mine) == 0 || their[0].old+their[0].oldLen < mine[0].old:
			e := their[0]
			at := e.old + len(m.ours.ids) - len(m.base.ids)
			if len(mine) > 0 {
				at = e.old + mine[0].new - mine[0].old
			}
			m.add(region{theirs, at, e.oldLen, e.new, e.newLen})
			their = their[1:]
		default:
			if !m.same(mine[0], their[0]) {
				m.add(collision(mine[0], their[0]))
			}
			mine, their = passed(mine, their)
		}
	}
}

// passed drops the edit that ends first, or both.
func passed(mine, their []edit) ([]edit, []edit) {
	a, b := mine[0].old+mine[0].oldLen, their[0].old+their[0].oldLen
	if a >= b {
		their = their[1:]
	}
	if b >= a {
		mine = mine[1:]
	}
	return mine, their
}

func (m *Merged) same(a, b edit) bool {
	if a.old != b.old || a.oldLen != b.oldLen || a.newLen != b.newLen {
		return false
	}
	for i := range a.newLen {
		if m.ours.ids[a.new+i] != m.theirs.ids[b.new+i] {
			return false
		}
	}
	return true
}

// collision is the region of two edits that touch, each made as long as to stand
// for the same lines of the base.
func collision(a, b edit) region {
	r := region{both, a.new, a.newLen, b.new, b.newLen}
	if before := a.old - b.old; before > 0 {
		r.our, r.ourLen = r.our-before, r.ourLen+before
	} else {
		r.their, r.theirLen = r.their+before, r.theirLen-before
	}
	if after := a.old + a.oldLen - b.old - b.oldLen; after < 0 {
		r.ourLen -= after
	} else {
		r.theirLen += after
	}
	return r
}

// add appends a region, or joins it with the one that it touches.
func (m *Merged) add(r region) {
	if n := len(m.regions); n > 0 {
		last := &m.regions[n-1]
		if r.our <= last.our+last.ourLen || r.their <= last.their+last.theirLen {
			if last.from != r.from {
				last.from = both
			}
			last.ourLen, last.theirLen = r.our+r.ourLen-last.our, r.their+r.theirLen-last.their
			return
		}
	}
	m.regions = append(m.regions, r)
}

// refine cuts collisions down to the lines in which the two sides differ. It
// reports false where [diff] does.
func (m *Merged) refine() bool {
	var list []region
	for _, r := range m.regions {
		if r.from != both || r.ourLen == 0 || r.theirLen == 0 {
			list = append(list, r)
			continue
		}
		edits, ok := diff(renumbered(m.ours.ids[r.our:r.our+r.ourLen], m.theirs.ids[r.their:r.their+r.theirLen]))
		if !ok {
			return false
		}
		if len(edits) == 0 {
			r.from = alike
			list = append(list, r)
		}
		for _, e := range edits {
			list = append(list, region{both, r.our + e.old, e.oldLen, r.their + e.new, e.newLen})
		}
	}
	m.regions = list
	return true
}

// closeBy is how many lines between two collisions keep them apart; lines without
// a letter or a digit never do.
const closeBy = 3

// join makes one of collisions that lie close together.
func (m *Merged) join() {
	var list []region
	for _, r := range m.regions {
		if n := len(list); n > 0 && r.from == both && list[n-1].from == both && m.close(list[n-1].our+list[n-1].ourLen, r.our) {
			last := &list[n-1]
			last.ourLen, last.theirLen = r.our+r.ourLen-last.our, r.their+r.theirLen-last.their
			continue
		}
		list = append(list, r)
	}
	m.regions = list
}

func (m *Merged) close(from, to int) bool {
	if to-from <= closeBy {
		return true
	}
	for _, line := range m.ours.lines[from:to] {
		for _, c := range line {
			if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
				return false
			}
		}
	}
	return true
}
