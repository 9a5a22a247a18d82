package acp

const (
	// maxBones bounds what is kept of a line that is too long, in bytes, and
	// maxBoneText what is kept of one text in it.
	maxBones    = 1 << 10
	maxBoneText = 256
)

// bones is what stays of a JSON object when everything below its top level is
// left out: {"id":1,"result":{}}. It is read piece by piece and takes no memory
// worth mentioning, however long the object is. Of what is no object it is a
// beginning.
type bones struct {
	kept    []byte
	depth   int // of objects and lists
	text    int // bytes of the text that is being read, with its first quote; 0 outside of texts
	escaped bool
}

func (b *bones) add(piece []byte) {
	for _, c := range piece {
		if b.take(c) && len(b.kept) < maxBones {
			b.kept = append(b.kept, c)
		}
	}
}

// take reports whether the next byte is one that is kept.
func (b *bones) take(c byte) bool {
	if b.text > 0 {
		return b.inText(c)
	}
	switch c {
	case '"':
		b.text = 1
	case '{', '[':
		b.depth++
		return b.depth <= 2
	case '}', ']':
		b.depth--
		return b.depth <= 1
	}
	return b.depth <= 1
}

func (b *bones) inText(c byte) bool {
	b.text++
	short := b.text <= maxBoneText
	switch {
	case b.escaped:
		b.escaped = false
		short = b.text <= maxBoneText+1 // it belongs to what came before
	case c == '\\':
		b.escaped = true
	case c == '"':
		b.text, short = 0, true
	}
	return short && b.depth <= 1
}
