package opencode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzFrames(f *testing.F) {
	f.Add([]byte("data: a\n\ndata:b\r\ndata: c\r\n\r\n"), 3)
	f.Add([]byte(": heartbeat\n\nevent: x\nid: 1\ndata: {}\n\ndata: cut off"), 1)
	f.Fuzz(func(t *testing.T, stream []byte, step int) {
		var whole, pieces []string
		_ = frames(bytes.NewReader(stream), func(data []byte) { whole = append(whole, string(data)) })
		_ = frames(&stepper{stream, max(1, step%7)}, func(data []byte) { pieces = append(pieces, string(data)) })
		if fmt.Sprint(whole) != fmt.Sprint(pieces) {
			t.Errorf("in one piece %q, in several %q", whole, pieces)
		}
		for _, data := range whole {
			if strings.Contains(data, "\r\n") {
				t.Errorf("a line end is left in %q", data)
			}
		}
	})
}

// stepper reads a few bytes at a time.
type stepper struct {
	rest []byte
	step int
}

func (s *stepper) Read(b []byte) (int, error) {
	if len(s.rest) == 0 {
		return 0, os.ErrClosed
	}
	n := copy(b[:min(len(b), s.step)], s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			f.Add(bytes.Clone(line))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		u, event, known := decode(data)
		if u.kind != 0 && (!known || decoders[event] == nil) {
			t.Errorf("%q is %d, known %v", event, u.kind, known)
		}
		// A wrapped event is the same.
		if json.Valid(data) {
			again, _, _ := decode([]byte(`{"payload":` + string(data) + `}`))
			if u.kind != 0 && again.kind != u.kind {
				t.Errorf("wrapped it is %d, not %d", again.kind, u.kind)
			}
		}
	})
}
