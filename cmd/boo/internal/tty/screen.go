package tty

import "strings"

// Screen shows something that goes on: text that streams in, lines of talk
// about it, and a block of live lines below both that is redrawn in place.
//
//	streamed text and lines, in the order they came   permanent
//	the line of text that is still being written      ╮ redrawn while
//	live lines                                        ╯ there are live lines
//
// A line of talk never lands inside a line of text: it is shown above it, or
// waits for its end. Without a terminal there are no live lines. A Screen serves
// one goroutine.
type Screen struct {
	data, talk *Output
	shared     bool

	streams [Talk]stream
	last    Kind // what was shown last
	blank   bool // the last row is empty
	waiting [][]Span
	live    [][]Span
	rows    int // of the block of live lines that is on the screen now
}

// Kind tells apart what a screen shows; a change of it makes a new paragraph.
type Kind int

// The kinds.
const (
	Answer Kind = iota
	Thought
	Talk
	nothing
)

type stream struct {
	filter Filter
	open   bool   // its last line is unfinished on the output
	broken bool   // what comes next begins a new line
	held   string // its unfinished line, shown above the live lines
}

// NewScreen makes a screen of the output for data, which gets the answer, and
// the one for talk, which gets everything else. shared says that both lead to
// the same place.
func NewScreen(data, talk *Output, shared bool) *Screen {
	return &Screen{data: data, talk: talk, shared: shared || data.Terminal() && talk.Terminal(), last: nothing}
}

// Stream shows the next piece of an answer or a thought.
func (s *Screen) Stream(kind Kind, chunk string) {
	st := &s.streams[kind]
	if s.last != kind || st.broken {
		s.erase()
		if other := Thought - kind; s.beside(other) && s.beside(kind) {
			s.finish(other)
		}
		if st.broken {
			s.finish(kind)
		}
		s.paragraph(kind)
		s.draw()
	}
	text := string(st.filter.Append(nil, []byte(chunk)))
	if len(s.live) == 0 || !s.beside(kind) {
		s.write(kind, text)
		return
	}
	s.erase()
	st.held += text
	if end := strings.LastIndexByte(st.held, '\n'); end >= 0 {
		whole := st.held[:end+1]
		st.held = st.held[end+1:]
		s.write(kind, whole)
	}
	s.draw()
}

// Break says that a message is over: what streams in next begins a new line.
func (s *Screen) Break() {
	s.erase()
	for kind := range Talk {
		if s.beside(kind) {
			s.finish(kind)
		} else {
			s.streams[kind].broken = s.streams[kind].open
		}
	}
	s.draw()
}

// Line shows a finished line of talk.
func (s *Screen) Line(spans ...Span) {
	if s.writing() {
		s.waiting = append(s.waiting, spans)
		return
	}
	s.erase()
	if s.streams[Answer].held == "" && s.streams[Thought].held == "" {
		s.paragraph(Talk)
	}
	s.talk.Println(spans...)
	s.blank = false
	s.draw()
}

// Live replaces the live lines. Without a terminal it does nothing.
func (s *Screen) Live(lines [][]Span) {
	if !s.talk.redraws() || len(lines) == 0 && len(s.live) == 0 {
		return
	}
	s.erase()
	if len(s.live) == 0 {
		s.finishAll()
		s.paragraph(Talk)
	}
	s.live = lines
	for kind := range Talk {
		if st := &s.streams[kind]; len(lines) == 0 && st.held != "" {
			text := st.held
			st.held = ""
			s.write(kind, text)
		}
	}
	s.draw()
}

// Clear takes the live lines off the screen and ends the line of text, so that
// something else can be shown below; the next change brings the live lines back.
func (s *Screen) Clear() {
	s.erase()
	s.finishAll()
}

// Close takes the live lines away for good and ends the last line of each
// output.
func (s *Screen) Close() {
	s.Live(nil)
	s.finish(Thought)
	s.finish(Answer)
}

func (s *Screen) out(kind Kind) *Output {
	if kind == Answer {
		return s.data
	}
	return s.talk
}

// beside reports whether a stream ends up where the talk does.
func (s *Screen) beside(kind Kind) bool { return kind == Thought || s.shared }

// writing reports whether an unfinished line stands where the talk goes.
func (s *Screen) writing() bool {
	return s.streams[Thought].open || s.streams[Answer].open && s.shared
}

func (s *Screen) finishAll() {
	for kind := range Talk {
		if s.beside(kind) {
			s.finish(kind)
		}
	}
}

// finish ends a stream's line, and lets the lines through that waited for it.
func (s *Screen) finish(kind Kind) {
	st := &s.streams[kind]
	text := st.held + string(st.filter.Flush(nil))
	st.held, st.broken = "", false
	s.write(kind, text)
	if st.open {
		s.out(kind).put("\n")
		st.open = false
		s.passWaiting()
	}
}

// write puts clean text on the output of its stream.
func (s *Screen) write(kind Kind, text string) {
	st := &s.streams[kind]
	if end := strings.LastIndexByte(text, '\n') + 1; end > 0 && end < len(text) && len(s.waiting) > 0 {
		s.write(kind, text[:end])
		text = text[end:]
	}
	if text == "" {
		return
	}
	shown := text
	if kind == Thought {
		shown = s.thought(text, !st.open)
	}
	s.out(kind).put(shown)
	s.blank = text == "\n" && !st.open || strings.HasSuffix(text, "\n\n")
	if st.open = !strings.HasSuffix(text, "\n"); !st.open {
		s.passWaiting()
	}
}

func (s *Screen) passWaiting() {
	lines := s.waiting
	s.waiting = nil
	for _, line := range lines {
		s.Line(line...)
	}
}

// thought dims a piece of a thought, or marks its lines where there is no colour.
func (s *Screen) thought(text string, start bool) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if start && !s.talk.Colour() {
			b.WriteString("┆ ")
		}
		body := strings.TrimSuffix(line, "\n")
		b.WriteString(dim.paint(body, s.talk.Colour()) + line[len(body):])
		start = true
	}
	return b.String()
}

// paragraph notes what comes next; where all is one screen, an empty line sets
// it apart.
func (s *Screen) paragraph(kind Kind) {
	if s.last != nothing && s.last != kind && !s.blank && s.shared && s.talk.Terminal() {
		s.talk.put("\n")
		s.blank = true
	}
	s.last = kind
}

func (s *Screen) erase() {
	if s.rows == 0 {
		return
	}
	// Line by line: some terminals put what "clear below" takes away into their
	// history when it is the whole screen.
	s.talk.put("\r" + strings.Repeat("\x1b[A\x1b[2K", s.rows))
	s.rows = 0
}

// draw shows the live lines. None of them is as wide as the screen, so none
// wraps and the number of rows is known.
func (s *Screen) draw() {
	if len(s.live) == 0 {
		return
	}
	width, height := s.talk.Size()
	var b strings.Builder
	add := func(line string) {
		b.WriteString(line + "\n")
		s.rows++
	}
	for kind := range Talk {
		if held := s.streams[kind].held; held != "" {
			add(CutLeft(held, width-1))
		}
	}
	most := max(1, height-4)
	for i, line := range s.live {
		if i == most-1 && len(s.live) > most {
			add("  … and " + itoa(len(s.live)-i) + " more")
			break
		}
		add(s.talk.render(line, width-1))
	}
	s.talk.put(b.String())
}

// Redraws reports whether live lines are shown.
func (s *Screen) Redraws() bool { return s.talk.redraws() }
