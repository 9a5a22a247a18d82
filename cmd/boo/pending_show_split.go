package main

import (
	"bytes"
	"fmt"
	"strings"

	"boo/orchestrator"
)

// splitter is a writer that takes a patch of several files apart. It begins
// each change of a set in order, those too of which there is no patch, and then
// gets the lines of its patch.
type splitter struct {
	begin func(i int) error              // the change with this index comes next
	lines func(i int, line []byte) error // a piece of its patch, a line as a rule
	index map[string]int                 // of the changes, by the first lines of their patches
	count int                            // of the changes
	next  int                            // the change that begins next
	now   int                            // the change whose patch it is; -1 for none
	rest  []byte                         // the beginning of a line
	mid   bool                           // the line has been passed on in part
}

func newSplitter(changes []orchestrator.Change, begin func(int) error, lines func(int, []byte) error) *splitter {
	s := &splitter{begin: begin, lines: lines, index: make(map[string]int, len(changes)), count: len(changes), now: -1}
	for i, c := range changes {
		s.index[fmt.Sprintf("diff --git %s %s\n", quotedName("a/", c.Path), quotedName("b/", c.Path))] = i
	}
	return s
}

// maxPiece bounds what is held of a line without an end.
const maxPiece = 1 << 20

func (s *splitter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n') + 1
		if end == 0 {
			s.rest = append(s.rest, p...)
			if len(s.rest) < maxPiece {
				return n, nil
			}
			end, p = 0, nil
		} else {
			s.rest = append(s.rest, p[:end]...)
			p = p[end:]
		}
		if err := s.take(s.rest); err != nil {
			return 0, err
		}
		s.mid = end == 0
		s.rest = s.rest[:0]
	}
	return n, nil
}

func (s *splitter) take(line []byte) error {
	if !s.mid && bytes.HasPrefix(line, []byte("diff --git ")) {
		i, known := s.index[string(line)]
		if !known {
			i = -1
		}
		if err := s.upTo(i + 1); err != nil {
			return err
		}
		s.now = i
	}
	if s.now < 0 {
		return nil
	}
	return s.lines(s.now, line)
}

// upTo begins the changes before end that have not begun yet.
func (s *splitter) upTo(end int) error {
	for ; s.next < end; s.next++ {
		if err := s.begin(s.next); err != nil {
			return err
		}
	}
	return nil
}

// Close begins what is left.
func (s *splitter) Close() error {
	if len(s.rest) > 0 {
		if err := s.take(s.rest); err != nil {
			return err
		}
	}
	return s.upTo(s.count)
}

// quotedName is a name as git writes it in the headers of a patch.
func quotedName(prefix string, path orchestrator.Path) string {
	name := prefix + string(path)
	var b strings.Builder
	plain := true
	for _, c := range []byte(name) {
		switch i := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); {
		case i >= 0:
			b.WriteString(`\` + `abtnvfr"\`[i:i+1])
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
			continue
		}
		plain = false
	}
	if plain {
		return name
	}
	return `"` + b.String() + `"`
}
