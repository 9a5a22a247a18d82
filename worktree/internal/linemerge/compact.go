package linemerge

// Where lines repeat, an edit can be told in several ways: of "a b a b", which
// "a b" is new? compact chooses. Each run of changed lines is moved up and down
// as far as equal lines allow, taken together with those that it meets, and left
// beside a change of the other side if it can be, or else as far down as it goes.
func compact(s, other *side) {
	run, beside := firstRun(s), firstRun(other)
	for {
		if run.from < run.to {
			slide(&run, &beside)
		}
		if !run.next() {
			return
		}
		beside.next()
	}
}

// run is a run of changed lines, or the empty place between two lines.
type run struct {
	side     *side
	from, to int
}

func firstRun(s *side) run {
	r := run{side: s}
	r.grow()
	return r
}

func (r *run) empty() bool { return r.from == r.to }

// grow takes in what is changed behind it.
func (r *run) grow() {
	for r.side.changed[r.to] {
		r.to++
	}
}

func (r *run) next() bool {
	if r.to == len(r.side.ids) {
		return false
	}
	r.from = r.to + 1
	r.to = r.from
	r.grow()
	return true
}

func (r *run) previous() {
	if r.from == 0 {
		return
	}
	r.to = r.from - 1
	r.from = r.to
	r.growUp()
}

func (r *run) growUp() {
	for r.from > 0 && r.side.changed[r.from-1] {
		r.from--
	}
}

func (r *run) up() bool {
	ids := r.side.ids
	if r.from == 0 || ids[r.from-1] != ids[r.to-1] {
		return false
	}
	r.from, r.to = r.from-1, r.to-1
	r.side.changed[r.from], r.side.changed[r.to] = true, false
	r.growUp()
	return true
}

func (r *run) down() bool {
	ids := r.side.ids
	if r.to == len(ids) || ids[r.from] != ids[r.to] {
		return false
	}
	r.side.changed[r.from], r.side.changed[r.to] = false, true
	r.from, r.to = r.from+1, r.to+1
	r.grow()
	return true
}

// slide moves a run, and with it the place of the other side that is beside it.
func slide(r, beside *run) {
	var highest, aligned int
	for size := -1; size != r.to-r.from; {
		size = r.to - r.from
		aligned = -1
		for r.up() {
			beside.previous()
		}
		highest = r.to
		if !beside.empty() {
			aligned = r.to
		}
		for r.down() {
			beside.next()
			if !beside.empty() {
				aligned = r.to
			}
		}
	}
	if r.to == highest || aligned < 0 {
		return
	}
	for beside.empty() {
		r.up()
		beside.previous()
	}
}
