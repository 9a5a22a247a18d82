package main

import (
	"bytes"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// checkOutput shows a person what checks write, line by line: what they check
// comes from agents.
type checkOutput struct {
	out  *tty.Output
	rest []byte
}

// showOutput has a person shown all that the checks write.
func (e *env) showOutput(o *orchestrator.CheckOptions) {
	if e.JSON {
		return
	}
	shown, ended := &checkOutput{out: e.Stderr}, o.Ended
	o.Output = shown.write
	o.Ended = func(r orchestrator.CheckResult) {
		shown.flush()
		ended(r)
	}
}

// longestCheckLine bounds what is kept until a line ends.
const longestCheckLine = 4 << 10

func (o *checkOutput) write(piece []byte) {
	o.rest = append(o.rest, piece...)
	for {
		end := bytes.IndexByte(o.rest, '\n')
		next := end + 1
		if end < 0 && len(o.rest) >= longestCheckLine {
			end, next = longestCheckLine, longestCheckLine
		}
		if end < 0 {
			return
		}
		_, _ = o.out.Write(append(o.rest[:end:end], '\n')) // never fails
		o.rest = o.rest[next:]
	}
}

// flush shows a last line that has no end.
func (o *checkOutput) flush() {
	if len(o.rest) > 0 {
		o.write([]byte("\n"))
	}
}
