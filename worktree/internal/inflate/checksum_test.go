package inflate

import (
	"hash/adler32"
	"math/rand/v2"
	"testing"
)

func TestChecksumIsTheStandardLibrarys(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, fill := range []func() byte{func() byte { return 0xff }, func() byte { return 0 }, func() byte { return byte(rng.Uint32()) }} {
		content := make([]byte, 100_003)
		for i := range content {
			content[i] = fill()
		}
		for _, n := range []int{len(content), 5552, 5553, 65_536} {
			if got, want := adler(content[:n]), adler32.Checksum(content[:n]); got != want {
				t.Errorf("%d bytes of %x…: %x, want %x", n, content[0], got, want)
			}
		}
		for n := range 600 {
			if got, want := adler(content[:n]), adler32.Checksum(content[:n]); got != want {
				t.Errorf("%d bytes of %x…: %x, want %x", n, content[0], got, want)
			}
		}
	}
}
