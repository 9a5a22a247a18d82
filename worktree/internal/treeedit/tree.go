package treeedit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// ModeTree is the mode of a directory in its parent's tree.
const ModeTree orchestrator.FileMode = 0o40000

// Entry is one name in a tree.
type Entry struct {
	Name string
	Mode orchestrator.FileMode // one of orchestrator's, or ModeTree
	ID   orchestrator.ObjectID
}

// IsTree reports whether the entry is a directory.
func (e Entry) IsTree() bool { return e.Mode == ModeTree }

// CorruptError says why bytes are not a tree that git would write.
type CorruptError struct {
	Reason string
}

// Error gives the reason.
func (e *CorruptError) Error() string { return "corrupt tree: " + e.Reason }

func corrupt(format string, args ...any) error {
	return &CorruptError{Reason: fmt.Sprintf(format, args...)}
}

// compareNames is the order of a tree: a directory sorts as if its name ended
// in a slash (gitformat documentation of tree objects, "base_name_compare").
func compareNames(a, b Entry) int {
	n := min(len(a.Name), len(b.Name))
	if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	return int(byteAt(a, n)) - int(byteAt(b, n))
}

func byteAt(e Entry, i int) byte {
	switch {
	case i < len(e.Name):
		return e.Name[i]
	case e.IsTree():
		return '/'
	}
	return 0
}

// Parse reads the content of a tree object. The entries come in the order of
// the tree, each name once; modes that only old versions of git wrote are
// given as today's.
func Parse(content []byte, format objectid.Format) ([]Entry, error) {
	width := format.Size()
	count := len(content)/(width+len("40000 x\x00")) + 1
	entries := make([]Entry, 0, count)
	// Names and ids are pieces of two long strings.
	text := string(content)
	var ids strings.Builder
	ids.Grow(2 * width * count)
	for text != "" {
		digits, rest, ok1 := strings.Cut(text, " ")
		name, rest, ok2 := strings.Cut(rest, "\x00")
		if !ok1 || !ok2 || len(rest) < width {
			return nil, corrupt("entry %d is cut off", len(entries))
		}
		mode, err := canonicalMode(digits)
		if err != nil {
			return nil, err
		}
		e := Entry{Name: name, Mode: mode, ID: appendID(&ids, rest[:width])}
		if err := follows(entries, e); err != nil {
			return nil, err
		}
		entries = append(entries, e)
		text = rest[width:]
	}
	return entries, nil
}

func appendID(ids *strings.Builder, raw string) orchestrator.ObjectID {
	const digits = "0123456789abcdef"
	from := ids.Len()
	for i := range len(raw) {
		ids.WriteByte(digits[raw[i]>>4])
		ids.WriteByte(digits[raw[i]&15])
	}
	return orchestrator.ObjectID(ids.String()[from:])
}

func canonicalMode(digits string) (orchestrator.FileMode, error) {
	if len(digits) > 6 {
		return 0, corrupt("mode of %d digits", len(digits))
	}
	mode, err := strconv.ParseUint(digits, 8, 32)
	if err != nil {
		return 0, corrupt("mode %q", digits)
	}
	switch mode & 0o170000 {
	case 0o100000:
		if mode&0o100 != 0 {
			return orchestrator.ModeExec, nil
		}
		return orchestrator.ModeRegular, nil
	case 0o120000:
		return orchestrator.ModeSymlink, nil
	case 0o160000:
		return orchestrator.ModeGitlink, nil
	case 0o40000:
		return ModeTree, nil
	}
	return 0, corrupt("mode %q", digits)
}

// follows checks that e can come after entries.
func follows(entries []Entry, e Entry) error {
	if e.Name == "" || e.Name == "." || e.Name == ".." || strings.Contains(e.Name, "/") {
		return corrupt("name %q", e.Name)
	}
	if n := len(entries); n > 0 && compareNames(entries[n-1], e) >= 0 {
		return corrupt("names %q and %q are out of order", entries[n-1].Name, e.Name)
	}
	// "a", "a.b" and the directory "a" are in order, and yet "a" is there twice.
	if e.IsTree() {
		if _, twice := slices.BinarySearchFunc(entries, Entry{Name: e.Name}, compareNames); twice {
			return corrupt("name %q is there twice", e.Name)
		}
	}
	return nil
}

// encode is the inverse of [Parse].
func encode(entries []Entry, format objectid.Format) ([]byte, error) {
	size := 0
	for _, e := range entries {
		size += len(e.Name) + format.Size() + 8
	}
	content := make([]byte, 0, size)
	var err error
	for _, e := range entries {
		content = strconv.AppendUint(content, uint64(e.Mode), 8)
		content = append(content, ' ')
		content = append(append(content, e.Name...), 0)
		if content, err = format.AppendRaw(content, e.ID); err != nil {
			return nil, fmt.Errorf("tree entry %q: %w", e.Name, err)
		}
	}
	return content, nil
}
