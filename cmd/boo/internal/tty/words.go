package tty

import (
	"bytes"
	"strings"
)

// Words shows git's word diff in its porcelain form to a person: every word
// cleaned strictly, what was taken away and what was put there in boo's own
// colours, or between marks where there is no colour. It is a writer; Close
// shows what is left.
type Words struct {
	out   *Output
	line  []byte
	spans []Span
	held  int  // bytes in spans
	hunk  bool // inside a hunk
}

// NewWords makes a writer of word diffs on an output.
func NewWords(out *Output) *Words { return &Words{out: out} }

// Write takes the next piece. Its error is the output's.
func (w *Words) Write(data []byte) (int, error) {
	n := len(data)
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			w.line = append(w.line, data...)
			break
		}
		w.line = append(w.line, data[:end]...)
		w.take(string(w.line))
		w.line = w.line[:0]
		data = data[end+1:]
	}
	return n, w.out.Err()
}

// Close shows what is left.
func (w *Words) Close() error {
	if len(w.line) > 0 {
		w.take(string(w.line))
		w.line = w.line[:0]
	}
	w.flush(false)
	return w.out.Err()
}

func (w *Words) take(line string) {
	if strings.HasPrefix(line, "diff --git ") {
		w.flush(false)
		w.hunk = false
	}
	if strings.HasPrefix(line, "@@ ") {
		w.flush(false)
		w.hunk = true
		w.out.Println(Cyan(line))
		return
	}
	if !w.hunk {
		w.out.Println(Bold(line))
		return
	}
	switch {
	case line == "~":
		w.flush(true)
	case strings.HasPrefix(line, "-"):
		w.add(red, "[-", line[1:], "-]")
	case strings.HasPrefix(line, "+"):
		w.add(green, "{+", line[1:], "+}")
	case strings.HasPrefix(line, " "):
		w.add(plain, "", line[1:], "")
	}
}

func (w *Words) add(s style, before, text, after string) {
	if w.out.Colour() {
		before, after = "", ""
	}
	w.spans = append(w.spans, Span{s, before + text + after})
	if w.held += len(text); w.held > maxPatchLine {
		w.flush(true)
	}
}

// flush shows the line so far; an empty one only where there is one.
func (w *Words) flush(whole bool) {
	if whole || len(w.spans) > 0 {
		w.out.Println(w.spans...)
	}
	w.spans, w.held = w.spans[:0], 0
}
