package acp

import (
	"bufio"
	"errors"
	"io"
	"sync/atomic"
)

const (
	// maxLine bounds the memory that one message may take. Real agents put
	// whole files into one.
	maxLine = 64 << 20
	// keepBuffer is how much of the line buffer is kept between messages.
	keepBuffer = 1 << 20
	readBuffer = 64 << 10
)

// errLongLine marks a line over the limit: it was skipped, its bones are given.
var errLongLine = errors.New("line over the limit")

// lines splits a stream into lines of bounded length. One goroutine reads;
// read may be asked by any.
type lines struct {
	r     *bufio.Reader
	buf   []byte
	limit int
	read  atomic.Int64 // bytes so far: the sign of life that stalls are judged by
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{r: bufio.NewReaderSize(r, readBuffer), limit: limit}
}

// next returns the next line without its end; it is valid until the call
// after. A line over the limit comes as its bones with errLongLine. A last line
// without an end comes with io.ErrUnexpectedEOF.
func (l *lines) next() ([]byte, error) {
	if cap(l.buf) > keepBuffer {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	var long *bones
	for {
		part, err := l.r.ReadSlice('\n')
		l.read.Add(int64(len(part)))
		if long == nil && len(l.buf)+len(part) > l.limit {
			long = &bones{}
			long.add(l.buf)
			l.buf = nil
		}
		if long != nil {
			long.add(part)
		} else {
			l.buf = append(l.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long != nil:
			return long.kept, errLongLine
		case err == nil:
			return trimLine(l.buf), nil
		case len(l.buf) > 0:
			return l.buf, io.ErrUnexpectedEOF
		default:
			return nil, io.EOF
		}
	}
}

func trimLine(line []byte) []byte {
	line = line[:len(line)-1]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

func head(b []byte, n int) []byte { return b[:min(len(b), n)] }
