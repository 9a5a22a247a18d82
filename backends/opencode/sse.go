package opencode

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxFrame bounds one server-sent event, in bytes.
const maxFrame = 64 << 20

var errFrame = errors.New("an event of the stream is too long")

// frames reads server-sent events until r ends, and passes the data of each to
// each. Only data is looked at: opencode names neither events nor ids.
func frames(r io.Reader, each func(data []byte)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var data []byte
	full := false
	for {
		line, err := readLine(in, maxFrame-len(data))
		if err != nil {
			return err // an event that was cut off is none
		}
		if len(line) == 0 {
			if full {
				each(data)
			}
			data, full = nil, false
			continue
		}
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		value = bytes.TrimPrefix(value, []byte(" "))
		if full {
			data = append(data, '\n')
		}
		data, full = append(data, value...), true
	}
}

// readLine reads one line without its end, of at most limit bytes. The bytes
// are good until the next call.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if err == nil {
		return bounded(line, limit)
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	whole := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(whole) > limit {
			return nil, errFrame
		}
		line, err = in.ReadSlice('\n')
		whole = append(whole, line...)
	}
	if err != nil {
		return nil, err
	}
	return bounded(whole, limit)
}

func bounded(line []byte, limit int) ([]byte, error) {
	if len(line) > limit {
		return nil, errFrame
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
}
