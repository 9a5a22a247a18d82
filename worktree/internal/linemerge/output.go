package linemerge

import "bytes"

// Text is the merged text. What collides stands in it twice, between conflict
// markers with these names.
func (m *Merged) Text(ourName, theirName string) []byte {
	var out bytes.Buffer
	at := 0
	for _, r := range m.regions {
		copyLines(&out, m.ours.lines[at:r.our], "")
		mine, their := m.ours.lines[r.our:r.our+r.ourLen], m.theirs.lines[r.their:r.their+r.theirLen]
		switch r.from {
		case ours, alike:
			copyLines(&out, mine, "")
		case theirs:
			copyLines(&out, their, "")
		case both:
			end := m.lineEnd(r)
			out.WriteString("<<<<<<< " + ourName + end)
			copyLines(&out, mine, end)
			out.WriteString("=======" + end)
			copyLines(&out, their, end)
			out.WriteString(">>>>>>> " + theirName + end)
		}
		at = r.our + r.ourLen
	}
	copyLines(&out, m.ours.lines[at:], "")
	return out.Bytes()
}

// copyLines writes lines; end is given to the last one if it has none.
func copyLines(out *bytes.Buffer, lines [][]byte, end string) {
	for _, line := range lines {
		out.Write(line)
	}
	if n := len(lines); n > 0 && !bytes.HasSuffix(lines[n-1], []byte("\n")) {
		out.WriteString(end)
	}
}

// lineEnd is how the lines of markers end: with CRLF where the lines before them
// do on both sides, and the first one of the base.
func (m *Merged) lineEnd(r region) string {
	if m.ours.end(max(0, r.our-1)) != lf && m.theirs.end(max(0, r.their-1)) != lf && m.base.end(0) == crlf {
		return "\r\n"
	}
	return "\n"
}

type lineEnding int

const (
	unknown lineEnding = iota
	lf
	crlf
)

// end is how a line ends; of the last one, if it does not, how that before does.
func (t text) end(at int) lineEnding {
	if len(t.lines) == 0 {
		return unknown
	}
	line := t.lines[at]
	if !bytes.HasSuffix(line, []byte("\n")) {
		if at == 0 {
			return unknown
		}
		line = t.lines[at-1]
	}
	if bytes.HasSuffix(line, []byte("\r\n")) {
		return crlf
	}
	return lf
}
