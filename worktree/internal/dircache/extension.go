package dircache

import "encoding/binary"

// extensions walks over what follows the entries. An extension whose name
// starts with a capital letter may be left out by who does not know it; the
// others change what the entries mean.
func (x *Index) extensions(data []byte) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return corrupt("extension is cut off")
		}
		name, size := string(data[:4]), binary.BigEndian.Uint32(data[4:])
		if int64(size) > int64(len(data)-8) {
			return corrupt("extension %q is cut off", name)
		}
		body := data[8 : 8+size]
		data = data[8+size:]
		switch {
		case name == "link":
			return unsupported("split index")
		case name == "sdir":
			return unsupported("sparse index")
		case name == "TREE":
			// A cache that does not hold together is no cache.
			x.trees = parseTrees(body, x.format)
		case name[0] < 'A' || name[0] > 'Z':
			return unsupported("extension %q", name)
		}
	}
	return nil
}
