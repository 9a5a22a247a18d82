package objects

import (
	"sync"

	"boo/worktree/internal/pack/objectid"
)

// patched applies a delta (gitformat-pack(5), "Deltified representation").
func patched(base, delta []byte) ([]byte, error) {
	from, delta, ok1 := length(delta)
	to, delta, ok2 := length(delta)
	if !ok1 || !ok2 || from != len(base) || to > maxBlob {
		return nil, errDamaged
	}
	out := make([]byte, 0, to)
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 {
			n := int(op)
			if n == 0 || n > len(delta) || len(out)+n > to {
				return nil, errDamaged
			}
			out, delta = append(out, delta[:n]...), delta[n:]
			continue
		}
		var copied [7]int // four bytes of the offset, three of the size
		for i := range copied {
			if op&(1<<i) == 0 {
				continue
			}
			if len(delta) == 0 {
				return nil, errDamaged
			}
			copied[i], delta = int(delta[0]), delta[1:]
		}
		at := copied[0] | copied[1]<<8 | copied[2]<<16 | copied[3]<<24
		n := copied[4] | copied[5]<<8 | copied[6]<<16
		if n == 0 {
			n = 1 << 16
		}
		if at+n > len(base) || len(out)+n > to {
			return nil, errDamaged
		}
		out = append(out, base[at:at+n]...)
	}
	if len(out) != to {
		return nil, errDamaged
	}
	return out, nil
}

// length reads a length of seven bits a byte, the lowest first.
func length(b []byte) (n int, rest []byte, ok bool) {
	for i := 0; i < len(b) && i < 5; i++ {
		n |= int(b[i]&0x7f) << (7 * i)
		if b[i]&0x80 == 0 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}

// maxBases is how many bytes of the objects that deltas refer to are kept.
const maxBases = 32 << 20

// place is where an object begins.
type place struct {
	pack *packFile
	at   int64
}

type object struct {
	kind    objectid.Kind
	content []byte
}

// bases keeps the objects that deltas referred to last. The zero value is
// empty; it may be used concurrently.
type bases struct {
	mu    sync.Mutex
	kept  map[place]object
	order []place // the oldest first
	size  int
}

func (b *bases) get(p *packFile, at int64) (object, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o, ok := b.kept[place{p, at}]
	return o, ok
}

func (b *bases) put(p *packFile, at int64, o object) {
	b.mu.Lock()
	defer b.mu.Unlock()
	where := place{p, at}
	if _, known := b.kept[where]; known {
		return
	}
	if b.kept == nil {
		b.kept = map[place]object{}
	}
	b.kept[where] = o
	b.order = append(b.order, where)
	for b.size += len(o.content); b.size > maxBases && len(b.order) > 1; b.order = b.order[1:] {
		b.size -= len(b.kept[b.order[0]].content)
		delete(b.kept, b.order[0])
	}
}
