package pending

import (
	"slices"

	"boo/orchestrator"
)

// lineage follows the lines of a file through its versions: who wrote each line
// that is there now, and who removed each line that was there at first.
type lineage struct {
	lines   []string
	from    []int                    // line of the first version, or -1
	author  []orchestrator.AgentName // of a line that is not of the first version
	removed map[int]orchestrator.AgentName
}

func newLineage(text string) *lineage {
	l := &lineage{lines: splitLines(text), removed: map[int]orchestrator.AgentName{}}
	for i := range l.lines {
		l.from = append(l.from, i)
		l.author = append(l.author, "")
	}
	return l
}

// next goes on to a version that by made.
func (l *lineage) next(text string, by orchestrator.AgentName) {
	lines := splitLines(text)
	from, author := make([]int, 0, len(lines)), make([]orchestrator.AgentName, 0, len(lines))
	old := 0
	keep := func(end int) {
		from, author = append(from, l.from[old:end]...), append(author, l.author[old:end]...)
		old = end
	}
	for _, e := range lineDiff(l.lines, lines) {
		keep(e.oldAt)
		for ; old < e.oldEnd; old++ {
			if l.from[old] >= 0 {
				l.removed[l.from[old]] = by
			}
		}
		for range e.newEnd - e.newAt {
			from, author = append(from, -1), append(author, by)
		}
	}
	keep(len(l.lines))
	l.lines, l.from, l.author = lines, from, author
}

// makers lists who made an edit that leads from old lines to the last version:
// those who wrote its new lines and those who removed its old ones. first says
// which line of the first version an old line is, or -1. ok is false if it
// cannot be told of every line.
func (l *lineage) makers(e edit, first []int) (list []orchestrator.AgentName, ok bool) {
	add := func(name orchestrator.AgentName) {
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for i := e.oldAt; i < e.oldEnd; i++ {
		if first[i] < 0 {
			return nil, false
		}
		add(l.removed[first[i]])
	}
	for i := e.newAt; i < e.newEnd; i++ {
		add(l.author[i])
	}
	return list, len(list) > 0
}

// origins says of each line of a text which line of another it is, or -1.
func origins(of, in []string) []int {
	at := make([]int, 0, len(of))
	next := 0
	for _, e := range lineDiff(in, of) {
		for ; next < e.oldAt; next++ {
			at = append(at, next)
		}
		for range e.newEnd - e.newAt {
			at = append(at, -1)
		}
		next = e.oldEnd
	}
	for ; next < len(in); next++ {
		at = append(at, next)
	}
	return at
}
