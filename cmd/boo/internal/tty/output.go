package tty

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// Options say what an output can do.
type Options struct {
	Terminal bool // a person looks at it
	Dumb     bool // a terminal on which lines cannot be redrawn
	Colour   bool
	// Size tells columns and rows as they are now; nil means 80 by 24.
	Size func() (width, height int)
}

// Output is one of the program's streams. It serves one goroutine at a time.
type Output struct {
	w   io.Writer
	opt Options
	err error
}

// New makes an output on w.
func New(w io.Writer, opt Options) *Output { return &Output{w: w, opt: opt} }

// Open makes an output on a stream of the process. Colour is used on a terminal
// unless NO_COLOR is set to anything or TERM is "dumb".
func Open(f *os.File, getenv func(string) string) *Output {
	if !IsTerminal(f) {
		return New(f, Options{})
	}
	dumb := getenv("TERM") == "dumb" || getenv("TERM") == ""
	return New(f, Options{
		Terminal: true,
		Dumb:     dumb,
		Colour:   !dumb && getenv("NO_COLOR") == "",
		Size: func() (int, int) {
			width, height, err := term.GetSize(int(f.Fd()))
			if err != nil || width <= 0 || height <= 0 {
				return 80, 24
			}
			return width, height
		},
	})
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// SameFile reports whether two streams of the process lead to the same place.
func SameFile(a, b *os.File) bool {
	one, err := a.Stat()
	if err != nil {
		return false
	}
	two, err := b.Stat()
	return err == nil && os.SameFile(one, two)
}

// Terminal reports whether a person looks at the output.
func (o *Output) Terminal() bool { return o.opt.Terminal }

// redraws reports whether lines can be redrawn in place.
func (o *Output) redraws() bool { return o.opt.Terminal && !o.opt.Dumb }

// Colour reports whether boo's colours are shown.
func (o *Output) Colour() bool { return o.opt.Colour }

// NoColour turns colour off.
func (o *Output) NoColour() { o.opt.Colour = false }

// Size returns columns and rows as they are now.
func (o *Output) Size() (width, height int) {
	if o.opt.Size == nil {
		return 80, 24
	}
	return o.opt.Size()
}

// Err returns the first error of writing, such as EPIPE. Nothing is written
// after it.
func (o *Output) Err() error { return o.err }

// Println writes one line.
func (o *Output) Println(spans ...Span) { o.put(o.render(spans, -1) + "\n") }

// Printf writes one plain line; the whole of it is cleaned.
func (o *Output) Printf(format string, args ...any) { o.Println(Plain(fmt.Sprintf(format, args...))) }

// Write writes prose, cleaned. It never returns an error: see [Output.Err].
func (o *Output) Write(p []byte) (int, error) {
	o.put(Text(string(p)))
	return len(p), nil
}

// Data returns the writer for bytes that a program may read, such as a patch: as
// they are when the output is not a terminal, cleaned when it is.
func (o *Output) Data() io.Writer {
	if o.opt.Terminal {
		return o
	}
	return dataWriter{o}
}

type dataWriter struct{ o *Output }

func (d dataWriter) Write(p []byte) (int, error) {
	d.o.put(string(p))
	return len(p), d.o.err
}

// JSON writes v as one line of JSON. Characters that could act on a terminal are
// written by number, which JSON readers undo.
func (o *Output) JSON(v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(line.String(), "�") {
		switch {
		case r == '\n' || !unicode.IsControl(r) && !deceptive(r):
			b.WriteRune(r)
		case r > 0xffff:
			hi, lo := surrogates(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	o.put(b.String())
	return nil
}

func surrogates(r rune) (hi, lo rune) { return 0xd800 + (r-0x10000)>>10, 0xdc00 + (r-0x10000)&0x3ff }

// render makes one line of spans, cut to width columns unless width is negative.
func (o *Output) render(spans []Span, width int) string {
	var b strings.Builder
	for _, s := range spans {
		text := s.clean()
		if width >= 0 {
			text = Cut(text, width)
			width -= Width(text)
		}
		b.WriteString(s.style.paint(text, o.opt.Colour))
	}
	return b.String()
}

// put writes what is clean already.
func (o *Output) put(s string) {
	if o.err != nil || s == "" {
		return
	}
	if _, err := io.WriteString(o.w, s); err != nil {
		o.err = err
	}
}
