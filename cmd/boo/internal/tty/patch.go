package tty

import (
	"bytes"
	"strings"
)

// Patch shows a git patch to a person: every line cleaned strictly, with boo's
// own colours. It is a writer; Close shows what is left of the last line.
type Patch struct {
	out  *Output
	line []byte
	hunk bool // inside a hunk, where "---" is a removed line and not a header
}

// NewPatch makes a patch writer on an output.
func NewPatch(out *Output) *Patch { return &Patch{out: out} }

// A line that is longer is shown in pieces, so that memory stays bounded.
const maxPatchLine = 64 << 10

// Write takes the next piece of the patch. Its error is the output's.
func (p *Patch) Write(data []byte) (int, error) {
	n := len(data)
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			p.line = append(p.line, data...)
			break
		}
		p.line = append(p.line, data[:end]...)
		p.show("\n")
		data = data[end+1:]
	}
	if len(p.line) > maxPatchLine {
		p.show("")
	}
	return n, p.out.Err()
}

// Close shows what is left.
func (p *Patch) Close() error {
	if len(p.line) > 0 {
		p.show("\n")
	}
	return p.out.Err()
}

func (p *Patch) show(end string) {
	text := strict(string(p.line))
	p.line = p.line[:0]
	p.out.put(p.style(text).paint(text, p.out.Colour()) + end)
}

func (p *Patch) style(line string) style {
	switch {
	case strings.HasPrefix(line, "diff --git "):
		p.hunk = false
		return bold
	case strings.HasPrefix(line, "@@"):
		p.hunk = true
		return cyan
	case !p.hunk:
		return bold
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	}
	return plain
}
