package pending

import (
	"fmt"
	"slices"
	"strings"

	"boo/orchestrator"
)

// hostile names the changes that must never be written, with the reason in
// words. It looks at the changes alone; target returns where a symlink's entry
// points. The order is that of the changes.
func hostile(changes []orchestrator.Change, target func(orchestrator.Change) (string, error)) ([]orchestrator.PathConflict, error) {
	var found []orchestrator.PathConflict
	crowded := crowding(changes)
	for _, c := range changes {
		reason := badName(c.Path)
		if reason == "" {
			reason = badMode(c)
		}
		if reason == "" {
			reason = crowded[c.Path]
		}
		if reason == "" && c.New.Mode == orchestrator.ModeSymlink {
			t, err := target(c)
			if err != nil {
				return nil, fmt.Errorf("read target of symlink %s: %w", c.Path, err)
			}
			reason = badLink(c.Path, t)
		}
		if reason != "" {
			found = append(found, orchestrator.PathConflict{Path: c.Path, Reason: "refused: " + reason})
		}
	}
	return found, nil
}

func badMode(c orchestrator.Change) string {
	switch {
	case c.Old.Mode == orchestrator.ModeGitlink || c.New.Mode == orchestrator.ModeGitlink:
		return "it is a submodule or a nested repository, which boo does not write"
	case c.New.Exists() && !regular(c.New) && c.New.Mode != orchestrator.ModeSymlink:
		return fmt.Sprintf("its mode is %o, and git records only 100644, 100755 and 120000", uint32(c.New.Mode))
	}
	return ""
}

// badLink adds to the target's own dangers the file that git reads through a
// link where it should not.
func badLink(p orchestrator.Path, target string) string {
	name := string(p[strings.LastIndexByte(string(p), '/')+1:])
	if foldKey(strings.TrimRight(name, " .")) == foldKey(".gitmodules") {
		return "it is a symlink in place of .gitmodules"
	}
	return badTarget(p, target)
}

// crowding finds the paths that cannot stand beside another path of the change:
// those below a file or symlink of the change, and new ones whose name differs
// from another's only by case.
func crowding(changes []orchestrator.Change) map[orchestrator.Path]string {
	reasons := map[orchestrator.Path]string{}
	files := map[orchestrator.Path]bool{}
	for _, c := range changes {
		files[c.Path] = c.New.Exists()
	}
	spelled := map[string]orchestrator.Path{} // folded path of a file or directory, as it was first spelled
	for _, c := range slices.SortedFunc(slices.Values(changes), oldFirst) {
		if !c.New.Exists() {
			continue
		}
		for end := range ends(c.Path) {
			part := c.Path[:end]
			if part != c.Path && files[part] {
				reasons[c.Path] = fmt.Sprintf("it lies below %s, which the change makes a file or a symlink", part)
				reasons[part] = "the change also writes below it"
			}
			key := foldKey(string(part))
			first, seen := spelled[key]
			if !seen {
				spelled[key] = part
				continue
			}
			if first != part && !c.Old.Exists() {
				reasons[c.Path] = fmt.Sprintf("its name differs from %s only by case", first)
			}
		}
	}
	return reasons
}

// oldFirst puts the paths that the baseline has before new ones, so that the
// new one of a colliding pair is the one to be refused.
func oldFirst(a, b orchestrator.Change) int {
	if a.Old.Exists() != b.Old.Exists() {
		if a.Old.Exists() {
			return -1
		}
		return 1
	}
	return strings.Compare(string(a.Path), string(b.Path))
}

// ends yields where each leading part of p ends, p itself last.
func ends(p orchestrator.Path) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range len(p) {
			if p[i] == '/' && !yield(i) {
				return
			}
		}
		yield(len(p))
	}
}
