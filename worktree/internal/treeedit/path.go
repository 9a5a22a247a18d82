package treeedit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"
)

// PathError names a path that cannot be edited, and says why.
type PathError struct {
	Path   orchestrator.Path
	Reason string
}

// Error names the path in the form that people see.
func (e *PathError) Error() string { return fmt.Sprintf("path %s: %s", e.Path, e.Reason) }

// maxPath bounds the depth of trees: no longer path can be opened on Linux.
const maxPath = 4095

// edit is one wanted change; rest shrinks on the way down.
type edit struct {
	path  orchestrator.Path
	rest  string
	entry orchestrator.Entry
}

// sorted checks the edits and brings those of one directory together, at every
// depth.
func sorted(edits map[orchestrator.Path]orchestrator.Entry, format objectid.Format) ([]edit, error) {
	list := make([]edit, 0, len(edits))
	for path, entry := range edits {
		if reason := refusal(path, entry, format); reason != "" {
			return nil, &PathError{Path: path, Reason: reason}
		}
		list = append(list, edit{path: path, rest: string(path), entry: entry})
	}
	slices.SortFunc(list, func(a, b edit) int { return compareParts(a.rest, b.rest) })
	return list, nil
}

// compareParts orders paths part by part: a slash is less than any other byte.
func compareParts(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			switch {
			case a[i] == '/':
				return -1
			case b[i] == '/':
				return 1
			}
			return cmp.Compare(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// refusal says why no tree can hold the edit, or nothing.
func refusal(path orchestrator.Path, entry orchestrator.Entry, format objectid.Format) string {
	if len(path) > maxPath || strings.IndexByte(string(path), 0) >= 0 {
		return "is not a path in a tree"
	}
	for part := range strings.SplitSeq(string(path), "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return "is not a path in a tree"
		case strings.EqualFold(part, ".git"):
			return "has a name that git reserves"
		}
	}
	switch entry.Mode {
	case orchestrator.ModeNone:
		return ""
	case orchestrator.ModeRegular, orchestrator.ModeExec, orchestrator.ModeSymlink, orchestrator.ModeGitlink:
	default:
		return fmt.Sprintf("has mode %o, which no file has", uint32(entry.Mode))
	}
	if _, err := format.AppendRaw(nil, entry.ID); err != nil || strings.Trim(string(entry.ID), "0") == "" {
		return fmt.Sprintf("has the object id %q", entry.ID)
	}
	return ""
}
