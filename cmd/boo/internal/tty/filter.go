package tty

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Filter makes a stream of untrusted bytes harmless. It keeps its place between
// calls: a sequence or a character may be cut anywhere. What it returns is valid
// UTF-8 without control characters but \n and \t. The zero value is ready. It
// serves one goroutine.
type Filter struct {
	// Strict drops nothing: it is for what a person judges by what they see,
	// such as patches and names. Control characters are shown as their symbols
	// (a terminal sequence so shows its ESC and its text), what has no shape of
	// its own (zero-width, bidirectional and tag characters) by its number.
	Strict bool

	state   state
	skipped int    // characters of the control string so far
	cr      bool   // a carriage return whose next character is not known yet
	held    []byte // beginning of a character
}

type state int

const (
	ground  state = iota
	escape        // after ESC
	control       // in a CSI sequence
	str           // in the text of OSC, DCS, APC, PM or SOS
	strEnd        // after ESC in such a text
)

// A control string that nobody ends must not swallow the rest of the stream.
const maxString = 64 << 10

const visibleCR = '␍'

// Append appends the harmless form of src to dst and returns it.
func (f *Filter) Append(dst, src []byte) []byte {
	if len(f.held) > 0 {
		src = append(f.held, src...)
		f.held = nil
	}
	for len(src) > 0 {
		if !utf8.FullRune(src) {
			f.held = bytes.Clone(src)
			return dst
		}
		r, n := utf8.DecodeRune(src)
		if r == utf8.RuneError && n == 1 {
			dst = f.invalid(dst, src[0])
		} else {
			dst = f.next(dst, r)
		}
		src = src[n:]
	}
	return dst
}

// Flush appends what is held back because its end had not come, and makes the
// filter ready for another stream.
func (f *Filter) Flush(dst []byte) []byte {
	held := f.held
	f.held = nil
	for _, b := range held {
		dst = f.invalid(dst, b)
	}
	if f.cr {
		dst = utf8.AppendRune(dst, visibleCR)
	}
	f.cr, f.state, f.skipped = false, ground, 0
	return dst
}

func (f *Filter) invalid(dst []byte, b byte) []byte {
	switch f.state {
	case str, strEnd:
		return dst
	}
	f.state = ground
	dst = f.settleCR(dst, utf8.RuneError)
	if f.Strict {
		return fmt.Appendf(dst, "<%02X>", b)
	}
	return utf8.AppendRune(dst, utf8.RuneError)
}

func (f *Filter) next(dst []byte, r rune) []byte {
	switch f.state {
	case escape:
		return f.afterEscape(dst, r)
	case control:
		switch {
		case r >= 0x20 && r <= 0x3f: // parameters and intermediates
			return dst
		case r >= 0x40 && r <= 0x7e: // final
			f.state = ground
			return dst
		}
		f.state = ground
	case str, strEnd:
		return f.inString(dst, r)
	}
	return f.onGround(dst, r)
}

func (f *Filter) afterEscape(dst []byte, r rune) []byte {
	switch {
	case r == '[':
		f.state = control
		return dst
	case r == ']' || r == 'P' || r == '_' || r == '^' || r == 'X':
		f.state, f.skipped = str, 0
		return dst
	case r >= 0x20 && r <= 0x2f: // intermediates: the final one is still to come
		return dst
	case r >= 0x30 && r <= 0x7e:
		f.state = ground
		return dst
	}
	f.state = ground
	return f.onGround(dst, r)
}

// inString drops the text of a control string. It also ends with its line: what
// follows is filtered like everything else, so ending early is safe.
func (f *Filter) inString(dst []byte, r rune) []byte {
	f.skipped++
	ended := f.state == strEnd && r == '\\' || r == 0x07 || r == 0x9c || r == 0x18 || r == 0x1a
	switch {
	case ended:
		f.state = ground
	case r == '\n' || f.skipped > maxString:
		f.state = ground
		return f.onGround(dst, r)
	case f.state == strEnd && r != 0x1b: // ESC and another letter: a new sequence
		return f.afterEscape(dst, r)
	case r == 0x1b:
		f.state = strEnd
	}
	return dst
}

func (f *Filter) onGround(dst []byte, r rune) []byte {
	dst = f.settleCR(dst, r)
	switch {
	case r == '\n' || r == '\t':
		return append(dst, byte(r))
	case r == '\r':
		f.cr = true
		return dst
	case f.Strict && unicode.IsControl(r):
		return symbol(dst, r)
	case r == 0x1b:
		f.state = escape
		return dst
	case r == 0x9b:
		f.state = control
		return dst
	case r == 0x90 || r == 0x98 || r == 0x9d || r == 0x9e || r == 0x9f:
		f.state, f.skipped = str, 0
		return dst
	case unicode.IsControl(r):
		return dst
	case deceptive(r) || f.Strict && shapeless(r):
		return fmt.Appendf(dst, "<U+%04X>", r)
	}
	return utf8.AppendRune(dst, r)
}

// symbol shows a control character.
func symbol(dst []byte, r rune) []byte {
	switch {
	case r < 0x20:
		return utf8.AppendRune(dst, 0x2400+r)
	case r == 0x7f:
		return utf8.AppendRune(dst, 0x2421)
	}
	return fmt.Appendf(dst, "<U+%04X>", r)
}

// settleCR shows a carriage return that would have let the following text
// overwrite the line.
func (f *Filter) settleCR(dst []byte, next rune) []byte {
	if f.cr && (next != '\n' || f.Strict) {
		dst = utf8.AppendRune(dst, visibleCR)
	}
	f.cr = false
	return dst
}

// deceptive characters change what stands around them, in prose too: the order
// of the line, or text that only machines read.
func deceptive(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xe0000 && r <= 0xe007f ||
		r == 0x2028 || r == 0x2029
}

func shapeless(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0:
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}
