package pack

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// IDs are the objects of one pack, in order.
type IDs struct {
	raw  []byte
	size int // bytes of one
}

// ReadIDs reads which objects a pack holds from its index, version 2
// (gitformat-pack(5)), whose checksum is checked.
func ReadIDs(index string, format objectid.Format) (IDs, error) {
	content, err := os.ReadFile(index)
	if err != nil {
		return IDs{}, fmt.Errorf("read pack index: %w", err)
	}
	const header = 8 + 256*4
	size := format.Size()
	body := len(content) - size
	if body < header+size || !bytes.HasPrefix(content, []byte{0xff, 't', 'O', 'c', 0, 0, 0, 2}) {
		return IDs{}, fmt.Errorf("read pack index %s: it is none", index)
	}
	sum := format.New()
	sum.Write(content[:body])
	n := int(binary.BigEndian.Uint32(content[header-4:]))
	if !bytes.Equal(sum.Sum(nil), content[body:]) || header+n*size > body {
		return IDs{}, fmt.Errorf("read pack index %s: it is damaged", index)
	}
	return IDs{raw: content[header : header+n*size], size: size}, nil
}

// Holds reports whether all of others are among them.
func (ids IDs) Holds(others IDs) bool {
	mine := ids.raw
	for theirs := others.raw; len(theirs) > 0; theirs = theirs[others.size:] {
		for len(mine) > 0 && bytes.Compare(mine[:ids.size], theirs[:others.size]) < 0 {
			mine = mine[ids.size:]
		}
		if len(mine) == 0 || !bytes.Equal(mine[:ids.size], theirs[:others.size]) {
			return false
		}
	}
	return true
}

// All yields each id.
func (ids IDs) All() iter.Seq[orchestrator.ObjectID] {
	return func(yield func(orchestrator.ObjectID) bool) {
		for rest := ids.raw; len(rest) > 0; rest = rest[ids.size:] {
			if !yield(orchestrator.ObjectID(hex.EncodeToString(rest[:ids.size]))) {
				return
			}
		}
	}
}

// Sync brings a pack that is in place to the disk, and its index, and the
// directory that both are in.
func Sync(dir, name string) error {
	for _, kind := range []string{".pack", ".idx"} {
		f, err := os.Open(filepath.Join(dir, name+kind))
		if err != nil {
			return fmt.Errorf("sync pack: %w", err)
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("sync pack: %w", err)
		}
	}
	return syncDir(dir)
}
