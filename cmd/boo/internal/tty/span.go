package tty

// Span is a piece of a line in one style. Whatever its text holds, it is
// cleaned when it is written: a Span cannot carry a sequence to the terminal.
type Span struct {
	style style
	text  string
}

type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

// Plain is text as it is.
func Plain(s string) Span { return Span{plain, s} }

// Bold is for what a line is about.
func Bold(s string) Span { return Span{bold, s} }

// Dim is for what may be overlooked.
func Dim(s string) Span { return Span{dim, s} }

// Red is for failure and for what was removed.
func Red(s string) Span { return Span{red, s} }

// Green is for success and for what was added.
func Green(s string) Span { return Span{green, s} }

// Yellow is for what needs attention, or is still going on.
func Yellow(s string) Span { return Span{yellow, s} }

// Cyan is for ids and places.
func Cyan(s string) Span { return Span{cyan, s} }

// clean returns the text as it is shown on one line.
func (s Span) clean() string { return Line(s.text) }

// paint puts the style around a text that is clean already.
func (s style) paint(text string, colour bool) string {
	if !colour || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
