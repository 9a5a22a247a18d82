package scriptedmodel

import "strings"

// whole collects an answer that is not streamed.
type whole struct {
	said      strings.Builder
	reasoning strings.Builder
	calls     []toolCall
	finish    func(w *whole, u usage)
	refuse    func(status int, text string)
}

var _ answer = (*whole)(nil)

func (w *whole) text(s string) error {
	w.said.WriteString(s)
	return nil
}

func (w *whole) thought(s string) error {
	w.reasoning.WriteString(s)
	return nil
}

func (w *whole) call(c toolCall) error {
	w.calls = append(w.calls, c)
	return nil
}

func (w *whole) flush() error { return nil }

func (w *whole) end(u usage) error {
	w.finish(w, u)
	return nil
}

func (w *whole) fail(status int, text string) { w.refuse(status, text) }
