package inflate_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"boo/worktree/internal/inflate"
)

// contents differ in how they compress.
func contents(rng *rand.Rand) map[string][]byte {
	random := func(n, of int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.IntN(of))
		}
		return b
	}
	var skewed []byte // codes of very different lengths
	for len(skewed) < 70_000 {
		symbol := byte(0)
		for rng.IntN(2) == 0 {
			symbol++
		}
		skewed = append(skewed, symbol*11)
	}
	return map[string][]byte{
		"empty": nil, "one": {7}, "zeros": make([]byte, 70_000), "noise": random(70_000, 256), "digits": random(80_000, 10),
		"pairs": bytes.Repeat([]byte("ab"), 5_000), "far": append(append(random(32_000, 256), make([]byte, 700)...), random(32_700, 3)...),
		"text": text(rng, 70_000), "skewed": skewed,
	}
}

func text(rng *rand.Rand, n int) (b []byte) {
	for len(b) < n {
		b = fmt.Appendf(b, "w%x%c", rng.Uint32()>>(8*rng.IntN(4)), " \n"[rng.IntN(8)/7])
	}
	return b
}

func compressed(t testing.TB, content []byte, level int) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := zlib.NewWriterLevel(&buf, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// decompress has the slack hold what may stand there: anything.
func decompress(d *inflate.Decoder, stream []byte, n int, slack byte) ([]byte, error) {
	dst := make([]byte, n+inflate.Slack)
	src := append(bytes.Clone(stream), bytes.Repeat([]byte{slack}, inflate.Slack)...)
	err := d.Zlib(dst, n, src)
	return dst[:n], err
}

func TestContentIsWhatWasCompressed(t *testing.T) {
	d := &inflate.Decoder{}
	for name, content := range contents(rand.New(rand.NewPCG(1, 2))) {
		for _, level := range []int{zlib.HuffmanOnly, zlib.NoCompression, zlib.BestSpeed, 3, 6, zlib.BestCompression} {
			stream := compressed(t, content, level)
			for _, slack := range []byte{0, 0xff, 0x78} {
				got, err := decompress(d, stream, len(content), slack)
				if err != nil || !bytes.Equal(got, content) {
					t.Errorf("%s at level %d: %v", name, level, err)
				}
			}
			for _, wrong := range []int{len(content) + 1, len(content) - 1} {
				if _, err := decompress(d, stream, max(wrong, 0), 0); err == nil && wrong >= 0 {
					t.Errorf("%s at level %d has %d bytes, too", name, level, wrong)
				}
			}
		}
	}
}

// A damaged stream is an error, or else what the standard library makes of it.
func TestADamagedStreamIsNoPanicAndNoLie(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	d := &inflate.Decoder{}
	for _, content := range [][]byte{text(rng, 300), text(rng, 5_000), make([]byte, 3_000), []byte("x")} {
		for _, level := range []int{zlib.NoCompression, zlib.BestSpeed, zlib.DefaultCompression, zlib.HuffmanOnly} {
			stream := compressed(t, content, level)
			for range 500 {
				bad := bytes.Clone(stream)
				for range 1 + rng.IntN(3) {
					bad[rng.IntN(len(bad))] = byte(rng.Uint32())
				}
				same(t, d, bad[:len(bad)-rng.IntN(2)*rng.IntN(len(bad))], len(content))
			}
		}
	}
}

func same(t *testing.T, d *inflate.Decoder, stream []byte, n int) {
	t.Helper()
	got, err := decompress(d, stream, n, 0)
	if err != nil {
		return
	}
	r, err := zlib.NewReader(bytes.NewReader(append(bytes.Clone(stream), make([]byte, inflate.Slack)...)))
	if err != nil {
		t.Fatalf("%x is no stream: %v", stream, err)
	}
	want := make([]byte, n)
	if _, err := io.ReadFull(r, want); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%x: %q, want %q, %v", stream, got, want, err)
	}
}

func FuzzZlib(f *testing.F) {
	f.Add(compressed(f, []byte("some text, some text"), 6), 20)
	f.Add(compressed(f, make([]byte, 300), 0), 300)
	f.Fuzz(func(t *testing.T, stream []byte, n int) {
		if n >= 0 && n < 1<<20 {
			same(t, &inflate.Decoder{}, stream, n)
		}
	})
}

// BenchmarkZlib reports the time relative to that of compress/zlib.
func BenchmarkZlib(b *testing.B) {
	content := text(rand.New(rand.NewPCG(1, 1)), 10_000)
	stream := compressed(b, content, 6)
	src := append(bytes.Clone(stream), make([]byte, inflate.Slack)...)
	dst := make([]byte, len(content)+inflate.Slack)
	b.Run("here", func(b *testing.B) {
		d := &inflate.Decoder{}
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			if err := d.Zlib(dst, len(content), src); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compress/zlib", func(b *testing.B) {
		r, err := zlib.NewReader(bytes.NewReader(stream))
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			if err := r.(zlib.Resetter).Reset(bytes.NewReader(stream), nil); err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(r, dst[:len(content)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
