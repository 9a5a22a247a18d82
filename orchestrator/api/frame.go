package api

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// The kinds of frames that are no events of a chat.
const (
	frameEnd     = "end"     // the followed turn is over
	frameFailed  = "failed"  // data: an answer with an error
	frameWaiting = "waiting" // the call waits for a turn
	frameResult  = "result"  // data: the result of the call
)

// frame is one message of a text/event-stream.
type frame struct {
	ID    string
	Event string
	Data  []byte
	Retry time.Duration // when to come again; 0 if it is not said
}

// append writes the frame. Data is JSON, and so has no line ends.
func (f frame) append(out []byte) []byte {
	field := func(name, value string) {
		if value != "" {
			out = append(append(append(append(out, name...), ": "...), value...), '\n')
		}
	}
	field("id", f.ID)
	field("event", f.Event)
	if f.Retry > 0 {
		field("retry", strconv.FormatInt(f.Retry.Milliseconds(), 10))
	}
	field("data", string(f.Data))
	return append(out, '\n')
}

// maxFrame bounds what a reader keeps of one frame: well above the largest event
// that is stored.
const maxFrame = 64 << 20

var errLongFrame = errors.New("a message of the stream is too long")

// frameReader reads a text/event-stream. Frames without data are passed on too
// if they say when to come again; an unfinished one at the end is dropped.
type frameReader struct {
	in   *bufio.Reader
	line []byte
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(r, 32<<10)}
}

// next returns the next frame. io.EOF says that the stream ended between two, or
// in the middle of one.
func (r *frameReader) next() (frame, error) {
	var f frame
	size := 0
	for {
		line, err := r.readLine()
		if err != nil {
			return frame{}, err
		}
		if len(line) == 0 {
			if f.Data != nil || f.Retry > 0 {
				return frame{f.ID, f.Event, bytes.TrimSuffix(f.Data, []byte("\n")), f.Retry}, nil
			}
			f, size = frame{}, 0
			continue
		}
		if size += len(line); size > maxFrame {
			return frame{}, errLongFrame
		}
		f.take(line)
	}
}

// take adds a line to the frame.
func (f *frame) take(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			f.ID = string(value)
		}
	case "event":
		f.Event = string(value)
	case "data":
		f.Data = append(append(f.Data, value...), '\n')
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			f.Retry = time.Duration(ms) * time.Millisecond
		}
	}
}

// readLine returns a line without its end, which is "\n" or "\r\n"; it holds
// until the next call. A lone "\r", which the format allows too, nobody writes.
func (r *frameReader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		if len(r.line)+len(part) > maxFrame {
			return nil, errLongFrame
		}
		r.line = append(r.line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err
		}
		return bytes.TrimSuffix(r.line[:len(r.line)-1], []byte("\r")), nil
	}
}
