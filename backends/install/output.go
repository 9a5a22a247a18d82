package install

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// outputLimit is how much of a program's output is kept, in bytes.
const outputLimit = 32 << 10

// output keeps the end of what a program writes. It may be written and read by
// different goroutines.
type output struct {
	mu  sync.Mutex
	buf []byte
}

// Write never fails and never blocks for long.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf = append(o.buf, p...)
	if over := len(o.buf) - outputLimit; over > 0 {
		o.buf = append(o.buf[:0], o.buf[over:]...)
	}
	return len(p), nil
}

func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.ToValidUTF8(string(o.buf), string(utf8.RuneError))
}

// last returns the last line that is not empty.
func (o *output) last() string {
	text := strings.TrimSpace(o.tail())
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
