package api

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// readFrames reads until the stream ends.
func readFrames(r io.Reader) ([]frame, error) {
	var frames []frame
	for in := newFrameReader(r); ; {
		f, err := in.next()
		if errors.Is(err, io.EOF) {
			return frames, nil
		}
		if err != nil {
			return frames, err
		}
		frames = append(frames, f)
	}
}

func TestFramesAreReadAsTheFormatSays(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []frame
	}{
		{"one event", "id: 7\ndata: {}\n\n", []frame{{ID: "7", Data: []byte("{}")}}},
		{"no space after the colon", "id:7\nevent:end\ndata:{}\n\n", []frame{{ID: "7", Event: "end", Data: []byte("{}")}}},
		{"only one space is dropped", "data:  x\n\n", []frame{{Data: []byte(" x")}}},
		{"data of several lines", "data: a\ndata: b\n\n", []frame{{Data: []byte("a\nb")}}},
		{"comments between and within", ": alive\n\n: x\ndata: a\n: y\n\n", []frame{{Data: []byte("a")}}},
		{"lines that end as on Windows", "data: a\r\n\r\n", []frame{{Data: []byte("a")}}},
		{"when to come again", "retry: 250\n\n", []frame{{Retry: 250 * time.Millisecond}}},
		{"a retry that is no number", "retry: soon\ndata: a\n\n", []frame{{Data: []byte("a")}}},
		{"an event without data is none", "id: 7\nevent: end\n\ndata: a\n\n", []frame{{Data: []byte("a")}}},
		{"empty data is some", "data\n\n", []frame{{Data: []byte("")}}},
		{"fields that nobody knows", "colour: red\ndata: a\n\n", []frame{{Data: []byte("a")}}},
		{"what is cut off is dropped", "data: a\n\nid: 8\ndata: b\n", []frame{{Data: []byte("a")}}},
		{"what is cut off in a line is dropped", "data: a\n\ndata: b", []frame{{Data: []byte("a")}}},
	} {
		got, err := readFrames(strings.NewReader(c.text))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, %v", c.name, got, err)
		}
	}
}

// endless is a line without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestAFrameWithoutEndIsGivenUp(t *testing.T) {
	if _, err := readFrames(endless{}); !errors.Is(err, errLongFrame) {
		t.Errorf("a line without end: %v", err)
	}
	lines := strings.NewReader(strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 65))
	if _, err := readFrames(lines); !errors.Is(err, errLongFrame) {
		t.Errorf("a frame without end: %v", err)
	}
}

// Whatever comes, reading ends, does not depend on how it was cut into pieces,
// and what was read is read again as it was written.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("id: 7\nevent: end\ndata: {}\n\n: alive\n\nretry: 250\n\n"))
	f.Add([]byte("data: a\r\ndata\r\n\r\ndata:b\n\n"))
	f.Add([]byte("id: \x00\ndata\n\n\n\nretry: 99999999999\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		whole, err := readFrames(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := readFrames(iotest.OneByteReader(bytes.NewReader(text)))
		if err != nil || !reflect.DeepEqual(whole, pieces) {
			t.Fatalf("byte by byte it reads %q, %v; whole %q", pieces, err, whole)
		}
		for _, fr := range whole {
			if len(fr.Data) == 0 || bytes.ContainsAny(fr.Data, "\r\n") || strings.ContainsRune(fr.ID+fr.Event, '\r') {
				continue // boo writes JSON, in one line
			}
			again, err := readFrames(bytes.NewReader(fr.append(nil)))
			if err != nil || len(again) != 1 || !reflect.DeepEqual(again[0], fr) {
				t.Fatalf("%q was written and read as %q, %v", fr, again, err)
			}
		}
	})
}
